import { randomUUID } from 'node:crypto'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { IssueDraft } from '../../../src-preload/contract/invoice-job.ts'
import { invoiceJobCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { NewDraft } from '../store/invoice-drafts.ts'
import type { InvoiceWorkDeps } from '../jobs/issue-work.ts'
import { readInvoiceFile } from './read-file.ts'
import { checkLifeTime, readLine, warnOfTwins } from './read-line.ts'

type DraftRoute = `invoiceIssue.${'draft' | 'draftFile' | 'lines' | 'drafts' | 'discard'}`

/** The limit per network, because closed windows leave their drafts behind. */
const maxDrafts = 50

export function createDrafts({ access, store, now }: InvoiceWorkDeps) {
  const { drafts } = store

  /** @throws AppError INVOICE_DRAFT_UNKNOWN */
  function find(id: string): IssueDraft {
    const draft = drafts.get(id)
    if (draft !== null) return draft
    throw new AppError(
      invoiceJobCodes.draftUnknown,
      'This draft no longer exists. It may have been discarded. Enter the invoices again.',
    )
  }

  function keep(draft: NewDraft): IssueDraft {
    drafts.put(draft, maxDrafts)
    return find(draft.id)
  }

  const handlers: Pick<Handlers, DraftRoute> = {
    'invoiceIssue.draft'({ network, id, lines: typed }) {
      access.info(network)
      const before = id === null ? null : drafts.get(id)
      if (before !== null) refuseIssued(before)
      // A draft of another network counts as unknown: `find` throws.
      if (before !== null && before.network !== network) find('')
      const lines = typed.map(({ lifeTimeSeconds, ...line }, index) => {
        const lifeTime = checkLifeTime(lifeTimeSeconds)
        return readLine({ ...line, line: index + 1, text: line.amount, lifeTime }, null)
      })
      const createdAt = before?.createdAt ?? now()
      const draft = { id: id ?? randomUUID(), network, createdAt, beyond: 0, remarks: [] }
      return keep({ ...draft, lines: warnOfTwins(lines) })
    },
    'invoiceIssue.draftFile'({ network, text, ...options }) {
      access.info(network)
      const read = readInvoiceFile(text, options)
      return keep({ id: randomUUID(), network, createdAt: now(), ...read })
    },
    'invoiceIssue.lines'({ draft, onlyInvalid, offset, limit }) {
      find(draft)
      return drafts.lines(draft, onlyInvalid, offset, limit)
    },
    'invoiceIssue.drafts': ({ network }) => drafts.list(network),
    'invoiceIssue.discard'({ draft: id }) {
      const draft = drafts.get(id)
      if (draft !== null) refuseIssued(draft)
      drafts.remove(id)
      return {}
    },
  }
  return { find, handlers }
}

function refuseIssued({ job }: IssueDraft): void {
  if (job === null) return
  const message = `This draft was already issued as job ${job}. Start a new draft.`
  throw new AppError(invoiceJobCodes.draftIssued, message)
}
