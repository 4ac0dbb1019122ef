/** The dialogs of the Inspector; those for import and export are loaded when they are first opened. */
import { create } from 'zustand'
import type { CaptureExportOptions } from '../../../src-preload/contract/exchange.ts'
import { formatCount } from '../../ui/format.ts'
import { openId } from './capture-detail.ts'
import { captures } from './inspector.ts'

/** What can be exported, the most likely first. */
export type OfferedSubject = {
  readonly label: string
  readonly subject: CaptureExportOptions['subject']
}

export const useDialogs = create<{
  /** Null while the export dialog is closed. */
  readonly offered: readonly OfferedSubject[] | null
  readonly isImporting: boolean
  readonly isClearing: boolean
}>(() => ({ offered: null, isImporting: false, isClearing: false }))

/** The selection, the open capture, the query, or everything. */
export function openExport(): void {
  const { selected, cursorId, query } = captures.use.getState()
  const one = openId() ?? cursorId
  const text = query.text.trim()
  const offered: (OfferedSubject | false)[] = [
    selected.size > 0 && {
      label: formatCount(selected.size, 'selected capture'),
      subject: { kind: 'captures', ids: [...selected] },
    },
    one !== null && { label: `Capture ${one}`, subject: { kind: 'captures', ids: [one] } },
    text !== '' && { label: 'Matching captures', subject: { kind: 'query', text } },
    { label: 'All captures', subject: { kind: 'query', text: '' } },
  ]
  useDialogs.setState({ offered: offered.filter((each) => each !== false) })
}

export function openClear(): void {
  useDialogs.setState({ isClearing: true })
}

export function openImport(): void {
  useDialogs.setState({ isImporting: true })
}
