import type {
  InvoiceExportOptions,
  InvoiceExportSubject,
} from '../../../src-preload/contract/invoice-export.ts'
import { createZoneTimes } from '../../exports/zone-times.ts'

/** What an export is to be saved as: `invoices-mainnet-2026-01-31.csv`, by the zone's day. */
export function fileName(
  network: string,
  subject: InvoiceExportSubject,
  { format, zone }: InvoiceExportOptions,
  at: number,
): string {
  const times = createZoneTimes(zone)
  const day = (ms: number) => times.print(ms).slice(0, 10)
  const safe = network.replace(/[^\w-]+/g, '-')
  if (subject.kind === 'invoices') return `invoices-${safe}-${day(at)}.${format}`
  const [first, last] = [day(subject.from), day(subject.to - 1)]
  return `closing-${safe}-${first === last ? first : `${first}-to-${last}`}.${format}`
}
