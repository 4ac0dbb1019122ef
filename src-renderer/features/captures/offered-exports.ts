import { formatCount } from '../../ui/format.ts'
import type { OfferedSubject } from './exchange/export-dialog-state.ts'
import { openId } from './inspector-state.ts'
import { useInspector } from './inspector.ts'

/** What an export may be of, the likeliest first: the selection, the open capture, what is found. */
export function offeredExports(): OfferedSubject[] {
  const { marked, detail, cursor, query } = useInspector.getState()
  const one = openId(detail) ?? cursor
  const text = query.text.trim()
  const offered: (OfferedSubject | false)[] = [
    marked.size > 0 && {
      label: formatCount(marked.size, 'selected capture'),
      subject: { kind: 'captures', ids: [...marked] },
    },
    one !== null && { label: `Capture ${one}`, subject: { kind: 'captures', ids: [one] } },
    text !== '' && { label: 'All that the query finds', subject: { kind: 'query', text } },
    { label: 'All captures', subject: { kind: 'query', text: '' } },
  ]
  return offered.filter((each) => each !== false)
}
