import { create } from 'zustand'
import type { Label, LabelImport } from '../../../../src-preload/contract/label.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { on, request } from '../../../bridge.ts'
import { createWindowList } from '../../list/windows.ts'

type LabelsState = {
  readonly network: NetworkId | null
  readonly text: string
  readonly cursor: number | null
  /** What is being written: a label that is there, or a new one. */
  readonly edited: Label | 'new' | null
  readonly imported: { readonly file: string; readonly outcome: LabelImport } | null
}

export const useLabels = create<LabelsState>(() => ({
  network: null,
  text: '',
  cursor: null,
  edited: null,
  imported: null,
}))

export const labels = createWindowList<Label, null>()

function load({ keep }: { keep: boolean }): void {
  const { network, text } = useLabels.getState()
  if (network === null) return
  useLabels.setState({ cursor: null })
  labels.open(
    async (offset, limit) => {
      const page = await request('label.list', { network, text, offset, limit })
      return { total: page.total, rows: page.labels, extra: null }
    },
    { keep },
  )
}

/** The address book of a network; each has its own. */
export function openLabels(network: NetworkId): void {
  if (useLabels.getState().network === network) {
    labels.refresh()
    return
  }
  useLabels.setState({ network, text: '', edited: null, imported: null })
  load({ keep: false })
}

export function searchLabels(text: string): void {
  useLabels.setState({ text })
  load({ keep: true })
}

/** Follows changes, made here or elsewhere. Returns the way to stop. */
export function followLabels(network: NetworkId): () => void {
  return on('label.changed', (changed) => {
    if (changed.network === network) labels.refresh()
  })
}
