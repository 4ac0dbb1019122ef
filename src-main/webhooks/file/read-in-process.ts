import { type StartWork, WorkEnded } from '../../jobs/work-process.ts'
import type { FileQuestion, FileReport } from './thread-messages.ts'
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
  const { promise, resolve, reject } = Promise.withResolvers<WantedFile>()
  const webhooks: WantedWebhook[] = []
  let accounts: WantedAccount[] = []
  let faults: Fault[] = []
  let untouchable: string[] = []
  const onReport = (report: FileReport) => {
    switch (report.type) {
      case 'webhook':
        accounts = []
        faults = []
        untouchable = []
        webhooks.push({
          ...report.webhook,
          accounts: report.namesAccounts ? accounts : null,
          faults,
          untouchable,
        })
        return
      case 'more':
        accounts.push(...report.accounts)
        faults.push(...report.faults)
        untouchable.push(...report.untouchable)
        return
      case 'end':
        resolve({ network: report.network, webhooks })
        return
      case 'problem':
        reject(new FileProblem(report.message, report.line, report.column))
    }
  }
  const worker = startWork(question, {
    onReport,
    onEnd(error) {
      const isTooMuch = error instanceof WorkEnded
      reject(
        isTooMuch ? new FileProblem('It takes more memory to read than a file should.') : error,
      )
    },
  })
  try {
    return await promise
  } finally {
    await worker.stop()
  }
}
