import { randomUUID } from 'node:crypto'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { IssueDraft } from '../../../src-preload/contract/invoice-job.ts'
import { invoiceJobCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { InvoiceDrafts, NewDraft } from '../store/invoice-drafts.ts'
import type { GatewayAccess } from '../parts.ts'
import { readInvoiceFile } from './read-file.ts'
import { checkLifeTime, readLine, warnOfTwins } from './read-line.ts'

export type DraftsDeps = {
  readonly access: Pick<GatewayAccess, 'info'>
  readonly drafts: InvoiceDrafts
  readonly now: () => number
}

type DraftRoute =
  | 'invoiceIssue.draft'
  | 'invoiceIssue.draftFile'
  | 'invoiceIssue.lines'
  | 'invoiceIssue.drafts'
  | 'invoiceIssue.discard'

type DraftsPart = {
  readonly handlers: Pick<Handlers, DraftRoute>
  /** @throws AppError INVOICE_DRAFT_UNKNOWN */
  find(id: string): IssueDraft
}

/** The limit per network, because closed windows leave their drafts behind. */
const maxDrafts = 50

export function createDraftsPart({ access, drafts, now }: DraftsDeps): DraftsPart {
  function find(id: string): IssueDraft {
    const draft = drafts.get(id)
    if (draft !== null) return draft
    throw new AppError(
      invoiceJobCodes.draftUnknown,
      'There is no such draft. It may have been discarded: enter it once more.',
    )
  }

  function keep(draft: NewDraft): IssueDraft {
    drafts.put(draft, maxDrafts)
    return find(draft.id)
  }

  return {
    find,
    handlers: {
      'invoiceIssue.draft'({ network, id, lines: typed }) {
        access.info(network)
        const before = id === null ? null : drafts.get(id)
        if (before !== null) refuseIssued(before)
        // A draft of another network counts as unknown: `find` throws.
        if (before !== null && before.network !== network) find('')
        const lines = typed.map(({ amount, currency, lifeTimeSeconds, description }, index) => {
          const lifeTime = checkLifeTime(lifeTimeSeconds)
          const line = { line: index + 1, text: amount, amount, currency, lifeTime, description }
          return readLine(line, null)
        })
        return keep({
          id: id ?? randomUUID(),
          network,
          createdAt: before?.createdAt ?? now(),
          beyond: 0,
          remarks: [],
          lines: warnOfTwins(lines),
        })
      },
      'invoiceIssue.draftFile'({ network, text, currency, lifeTimeSeconds, comma }) {
        access.info(network)
        const read = readInvoiceFile(text, { currency, lifeTimeSeconds, comma })
        return keep({ id: randomUUID(), network, createdAt: now(), ...read })
      },
      'invoiceIssue.lines'({ draft, onlyInvalid, offset, limit }) {
        find(draft)
        return drafts.lines(draft, onlyInvalid, offset, limit)
      },
      'invoiceIssue.drafts': ({ network }) => drafts.list(network),
      'invoiceIssue.discard'({ draft: id }) {
        const draft = drafts.get(id)
        if (draft === null) return {}
        refuseIssued(draft)
        drafts.remove(id)
        return {}
      },
    },
  }
}

function refuseIssued({ job }: IssueDraft): void {
  if (job === null) return
  const message = `This draft was issued already, as job ${job}. Begin a new one.`
  throw new AppError(invoiceJobCodes.draftIssued, message)
}
