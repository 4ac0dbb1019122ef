import type { FileCalls, FileQuestion, FileReports } from '../../threads/file-process.ts'
import { type StartWork, WorkEnded } from '../../threads/rpc.ts'
import {
  type Fault,
  type WantedAccount,
  type WantedFile,
  type WantedWebhook,
  FileProblem,
} from './wanted.ts'

/**
 * Reads a file in a process of its own, so that one that was made to be large does not take the app along.
 * @param startWork of `file-process.ts`
 * @throws FileProblem
 */
export async function readInProcess(
  startWork: StartWork,
  question: FileQuestion,
): Promise<WantedFile> {
  const webhooks: WantedWebhook[] = []
  let accounts: WantedAccount[] = []
  let faults: Fault[] = []
  let untouchable: string[] = []
  const worker = startWork<FileCalls, FileReports>({
    webhook({ namesAccounts, ...webhook }) {
      accounts = []
      faults = []
      untouchable = []
      webhooks.push({ ...webhook, accounts: namesAccounts ? accounts : null, faults, untouchable })
    },
    more(lists) {
      accounts.push(...lists.accounts)
      faults.push(...lists.faults)
      untouchable.push(...lists.untouchable)
    },
  })
  try {
    const { network, problem } = await worker.call('read', question)
    if (problem !== null) throw new FileProblem(problem.message, problem.line, problem.column)
    return { network, webhooks }
  } catch (error) {
    if (!(error instanceof WorkEnded)) throw error
    throw new FileProblem('It takes more memory to read than a file should.')
  } finally {
    await worker.stop()
  }
}
