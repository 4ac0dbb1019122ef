/** What stands beside an exported file: enough to tell what it holds, and that it is whole. */
import type { ExportOrder, Written } from './order.ts'
import type { Total } from './totals.ts'
import { printTotals } from './totals.ts'

/** @param file as it was asked for and as it came to be; `columns` as they stand in it */
export function printManifest(
  { network, subject, options, at, appVersion, target }: ExportOrder,
  file: Written & {
    readonly columns: readonly string[]
    readonly totals: readonly Total[]
    readonly unconfirmed: number
    /** What else a file of its kind tells. */
    readonly more?: Readonly<Record<string, unknown>>
  },
): string {
  const { format, zone, separator, decimalMark } = options
  const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  const what =
    subject.kind === 'invoices'
      ? { filter: subject.filter, sort: subject.sort }
      : { from: iso(subject.from), to: iso(subject.to) }
  const manifest = {
    file: target?.name ?? null,
    sha256: file.sha256,
    bytes: file.bytes,
    rows: file.rows,
    kind: subject.kind,
    network: network.id,
    format,
    zone,
    ...(format === 'csv' ? { separator, decimalMark } : {}),
    columns: file.columns,
    ...what,
    totals: printTotals(file.totals),
    // Told of by deliveries only, which anybody can send.
    leftOutAsUnconfirmed: file.unconfirmed,
    ...file.more,
    createdAt: iso(at),
    createdBy: `Tondesk ${appVersion}`,
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}
