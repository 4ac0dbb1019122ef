import { Worker } from 'node:worker_threads'
import type { FileQuestion, FileReport } from './thread-messages.ts'
import type { Fault, WantedAccount, WantedFile, WantedWebhook } from './wanted.ts'
import { FileProblem } from './wanted.ts'

/** A file within the limits takes half of it; one that was made to be large must not take the app along. */
const resourceLimits = { maxOldGenerationSizeMb: 2048 }

/**
 * Reads a file beside the main thread.
 * @param entry of `file-thread.ts`
 * @throws FileProblem
 */
export async function readInThread(entry: URL, question: FileQuestion): Promise<WantedFile> {
  const { promise, resolve, reject } = Promise.withResolvers<WantedFile>()
  const webhooks: WantedWebhook[] = []
  let accounts: WantedAccount[] = []
  let faults: Fault[] = []
  let untouchable: string[] = []
  const worker = new Worker(entry, { workerData: question, name: 'tondesk-file', resourceLimits })
  worker.on('message', (report: FileReport) => {
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
  })
  worker.on('error', (error: Error & { code?: string }) => {
    const isTooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    reject(isTooMuch ? new FileProblem('It takes more memory to read than a file should.') : error)
  })
  worker.on('exit', () => reject(new Error('The thread that reads files has ended.')))
  try {
    return await promise
  } finally {
    await worker.terminate()
  }
}
