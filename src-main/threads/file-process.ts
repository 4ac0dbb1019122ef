/** The process that reads files of subscriptions: a large one would hold the receiver for seconds. */
import { setPriority } from 'node:os'
import { openWorkPort } from '../jobs/work-process.ts'
import { readFile } from '../webhooks/file/read-file.ts'
import type { FileQuestion, FileReport } from '../webhooks/file/thread-messages.ts'
import { FileProblem } from '../webhooks/file/wanted.ts'

/** Taking in what is posted is the main thread's work: so much of it at a time. */
const accountsAtOnce = 1000

const { order, report } = await openWorkPort<FileQuestion, FileReport>()
const { pieces, format, testOnly } = order

/** Deliveries and the window come first. */
setPriority(0, 10)

try {
  const { network, webhooks } = readFile(pieces, format, testOnly)
  for (const { accounts, faults, untouchable, ...webhook } of webhooks) {
    report({ type: 'webhook', webhook, namesAccounts: accounts !== null })
    const most = Math.max(accounts?.length ?? 0, faults.length, untouchable.length)
    for (let from = 0; from < most; from += accountsAtOnce) {
      const to = from + accountsAtOnce
      report({
        type: 'more',
        accounts: accounts?.slice(from, to) ?? [],
        faults: faults.slice(from, to),
        untouchable: untouchable.slice(from, to),
      })
    }
  }
  report({ type: 'end', network })
} catch (error) {
  if (!(error instanceof FileProblem)) throw error
  const { message, line, column } = error
  report({ type: 'problem', message, line, column })
}
