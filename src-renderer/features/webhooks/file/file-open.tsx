import { OpenFileButton } from '../../../components/files/drop-zone.tsx'
import { formatOf } from './plan-words.ts'
import { plans } from './plans.ts'

/** One whose name does not tell its form is looked into. */
export async function open(file: File): Promise<void> {
  const beginning = await file
    .slice(0, 2000)
    .text()
    .catch(() => '')
  await plans.open({ name: file.name, blob: file }, formatOf(file.name, beginning))
}

export function OpenSubscriptionsButton() {
  return (
    <OpenFileButton
      label="Open a file…"
      accept=".yaml,.yml,.csv,.tsv"
      onFile={(file) => void open(file)}
    />
  )
}
