import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { Label } from '../../src-preload/contract/label.ts'
import { formatFriendly } from '../ton/address.ts'
import { readAddressRange } from '../ton/address-range.ts'
import type { Labels } from './store/labels.ts'
import { requireAddress } from './address-input.ts'
import { formatLabelCsv } from './label-csv.ts'
import { importLabels } from './label-import.ts'

type LabelDeps = {
  readonly labels: Labels
  /** @throws AppError NETWORK_UNKNOWN */
  readonly info: (network: string) => { readonly testOnly: boolean }
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly onChanged: (network: string) => void
}

type LabelHandlers = Pick<Handlers, Extract<keyof Handlers, `label.${string}`>>

/** Rows between turns of the event loop. */
const rowsAtOnce = 1_000

/** The person's address book, one for each network. */
export function createLabelHandlers({ labels, info, now, onChanged }: LabelDeps): LabelHandlers {
  return {
    'label.list'({ network, text, offset, limit }) {
      const sought = text.trim()
      const search = { part: sought, range: readAddressRange(sought) }
      return labels.list(network, search, { offset, limit })
    },
    'label.set'({ network, address: text, name, note }) {
      const address = requireAddress(text, info(network).testOnly)
      if (name === '') {
        if (labels.remove(network, address)) onChanged(network)
        return null
      }
      const label: Label = {
        network,
        address,
        name: tidy(name),
        note: tidy(note),
        changedAt: now(),
      }
      labels.put([label])
      onChanged(network)
      return label
    },
    async 'label.import'({ network, csv }) {
      const { testOnly } = info(network)
      const outcome = await importLabels(csv, { labels, network, testOnly, now: now() })
      if (outcome.added + outcome.changed > 0) onChanged(network)
      return outcome
    },
    async 'label.export'({ network }) {
      const { testOnly } = info(network)
      const rows: Label[] = []
      let page: Label[]
      let last = ''
      do {
        page = labels.after(network, last, rowsAtOnce)
        last = page.at(-1)?.address ?? last
        for (const label of page) {
          const address = formatFriendly(label.address, { bounceable: true, testOnly })
          rows.push({ ...label, address })
        }
        await nextTurn()
      } while (page.length === rowsAtOnce)
      return { csv: formatLabelCsv(rows) }
    },
  }
}

/** Line ends as `label.import` reads them, so that a label written and read again is the same. */
function tidy(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}
