/** What stands beside an exported file: enough to tell what it holds, and that it is whole. */
import type { ExportOrder, Written } from './order.ts'

/** @param name what the file is to be saved as; @param told what else there is to tell of its rows */
export function formatManifest(
  { network, subject, options, at, appVersion }: ExportOrder,
  name: string,
  { sha256, bytes, rows }: Written,
  told: Readonly<Record<string, unknown>>,
): string {
  const { format, zone, separator, decimalMark } = options
  const iso = (ms: number) => new Date(ms).toISOString()
  const manifest = {
    ...{ file: name, sha256, bytes, rows },
    ...{ kind: subject.kind, network: network.id, format, zone },
    ...(format === 'csv' ? { separator, decimalMark } : {}),
    ...(subject.kind === 'invoices'
      ? { filter: subject.filter, sort: subject.sort }
      : { from: iso(subject.from), to: iso(subject.to) }),
    ...told,
    createdAt: iso(at),
    createdBy: `Tondesk ${appVersion}`,
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}
