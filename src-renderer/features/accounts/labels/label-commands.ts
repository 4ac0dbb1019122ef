import type { Label } from '../../../../src-preload/contract/label.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { attempt } from '../../../attempt.ts'
import { request } from '../../../bridge.ts'
import { saveBytes } from '../../../save-bytes.ts'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { readText } from '../../files/read-text.ts'
import { useLabels } from './labels.ts'

/** Removes it at once and offers the way back. */
export async function removeLabel({ network, address, name, note }: Label): Promise<void> {
  const put = (to: string) => request('label.set', { network, address, name: to, note })
  const done = await attempt('Could not remove the name', () => put(''))
  if (done === undefined) return
  showToast({
    title: `“${name}” removed`,
    action: { label: 'Undo', run: () => void attempt('Could not undo', () => put(name)) },
  })
}

/** As many characters as the main process takes at once. */
const mostImported = 900_000

export async function importLabels(network: NetworkId, file: File): Promise<void> {
  await attempt(`Could not import “${file.name}”`, async () => {
    const csv = await readText(file, mostImported)
    if (csv === null) {
      throw new Error(
        `It is larger than ${mostImported / 1000} kB, which is what can be imported at once. Split it, and import the parts.`,
      )
    }
    const outcome = await request('label.import', { network, csv })
    useLabels.setState({ imported: { file: file.name, outcome } })
    announce(`${outcome.added} added, ${outcome.changed} changed, ${outcome.refusedCount} refused`)
  })
}

export async function exportLabels(network: NetworkId, networkName: string): Promise<void> {
  await attempt('Could not export the address book', async () => {
    const { csv } = await request('label.export', { network })
    const words = networkName.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    const name = `tondesk-labels-${words}.csv`
    saveBytes([new TextEncoder().encode(csv)], name)
    showToast({ title: `${name} saved` })
  })
}
