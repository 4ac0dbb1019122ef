/**
 * Compares a CSV export of all invoices with the sqlite3 shell, whose query returns the same bytes,
 * and measures memory and response times meanwhile.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataPaths } from '../../../src-main/app/paths.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { type InvoiceExport, invoiceColumn } from '../../../src-preload/contract/invoice-export.ts'
import { type Figure, median } from './stats.ts'
import type { Product } from './product.ts'

type ExportBench = {
  readonly product: Product
  readonly dataDirectory: string
  readonly network: string
  readonly times: number
}

/** Adds a payment for each paid invoice, and labels for some payers. */
export function fillPayments(dataDirectory: string, network: string): void {
  const database = openDatabase(dataPaths(dataDirectory).database, { synchronous: 'NORMAL' })
  database.exec(`INSERT INTO payments
      (network, account, lt, hash, at, currency, amount, payer, invoice_key, certainty, linked_by)
    SELECT network, pay_to, 1000000 + key, lower(hex(randomblob(32))), coalesce(paid_at, changed_at),
      currency, received, paid_by, key, 'certain', 'rule'
    FROM invoices WHERE network = '${network}' AND received > 0 AND paid_by IS NOT NULL;
    INSERT INTO labels (network, address, name, note, changed_at, folded)
    SELECT network, paid_by, 'Customer ' || min(key), '', 0, 'customer ' || min(key) || char(10)
    FROM invoices WHERE network = '${network}' AND key % 1000 = 0 AND paid_by IS NOT NULL
    GROUP BY paid_by;
    INSERT INTO invoice_accounts
      (network, account, first_invoice, since, active_until, read_from, read_to)
    SELECT network, pay_to, min(key), 0, 0, 0, max(created_at) FROM invoices
    WHERE network = '${network}' GROUP BY pay_to;
    PRAGMA wal_checkpoint(TRUNCATE)`)
  database.close()
}

const wantedRatio = 0.7
const maxMb = 150
const megabyte = 1_000_000

/** The product must have been idle before. */
export async function measureExports(bench: ExportBench): Promise<Figure[]> {
  const shell = spawnSync('sqlite3', ['--version']).status === 0
  const idle = bench.product.residentBytes()
  const ours: number[] = []
  const theirs: number[] = []
  const answers: number[] = []
  let most = 0
  let done: InvoiceExport | null = null
  let same: boolean | null = null
  for (let round = 0; round < bench.times; round += 1) {
    if (shell) theirs.push(await runShell(bench))
    const from = performance.now()
    done = await exportAll(bench, (bytes) => (most = Math.max(most, bytes)), answers)
    ours.push(performance.now() - from)
    if (shell) same = (await digestOf(outputOf(bench))) === done.sha256
  }
  rmSync(outputOf(bench), { force: true })
  const [our, their] = [median(ours), median(theirs)]
  const above = (most - idle) / megabyte
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const ratio = their / our
  return [
    {
      name: `CSV of ${(done?.rows ?? 0).toLocaleString('en')} rows`,
      value: `${seconds(our)}, ${((done?.bytes ?? 0) / megabyte).toFixed(0)} MB`,
    },
    shell
      ? {
          name: 'its speed to that of the sqlite3 shell',
          value: `${ratio.toFixed(2)} (${seconds(their)}), the same bytes: ${same === true ? 'yes' : 'no'}`,
          wanted: `≥ ${wantedRatio}`,
          met: ratio >= wantedRatio && same === true,
        }
      : { name: 'its speed to that of the sqlite3 shell', value: 'sqlite3 is not installed here' },
    {
      name: 'memory above idle while it is exported',
      value: `${above.toFixed(0)} MB`,
      wanted: `< ${maxMb} MB`,
      met: above < maxMb,
    },
    {
      name: 'a route answered meanwhile, median and longest',
      value: `${median(answers).toFixed(0)} and ${Math.max(...answers).toFixed(0)} ms`,
      wanted: '< 100 ms',
      met: Math.max(...answers) < 100,
    },
  ]
}

async function exportAll(
  { product, network }: ExportBench,
  onBytes: (bytes: number) => void,
  answers: number[],
): Promise<InvoiceExport> {
  const { id } = await product.request<InvoiceExport>('invoiceExport.start', {
    network,
    subject: { kind: 'invoices' },
    options: { format: 'csv' },
  })
  for (;;) {
    const from = performance.now()
    const job = await product.request<InvoiceExport>('job.get', { kind: 'invoiceExport', id })
    answers.push(performance.now() - from)
    onBytes(product.residentBytes())
    if (job.state === 'done') return job
    if (job.state !== 'running') throw new Error(job.problem ?? job.state)
    await sleep(20)
  }
}

const outputOf = ({ dataDirectory }: ExportBench) => join(dataDirectory, '..', 'by-the-shell.csv')

async function runShell(bench: ExportBench): Promise<number> {
  rmSync(outputOf(bench), { force: true })
  const from = performance.now()
  const output = openSync(outputOf(bench), 'w')
  const child = spawn('sqlite3', ['-readonly', dataPaths(bench.dataDirectory).database], {
    stdio: ['pipe', output, 'inherit'],
  })
  child.stdin?.end(script(bench.network))
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`sqlite3 ended with ${String(code)}`)
  return performance.now() - from
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer)
  return hash.digest('hex')
}

/** The shell's list mode prints values unchanged, so the query itself must quote and guard them. */
function script(network: string): string {
  const header = invoiceColumn.options.map((column) => `'${column}'`).join(', ')
  const cells = invoiceColumn.options.map((column) => cellOf[column]).join(',\n')
  return `.mode list
.headers off
.separator "," "\\r\\n"
SELECT char(65279) || ${header.slice(0, header.indexOf(','))}, ${header.slice(header.indexOf(',') + 1)};
SELECT ${cells}
FROM invoices INDEXED BY invoices_by_creation
WHERE network = '${network}' AND confirmed_at IS NOT NULL ORDER BY created_at, key;
`
}

const spaces = `' ' || char(9, 10, 11, 12, 13, 160, 65279)`

/** Escapes third-party texts as src-main/exports/formula-safe.ts and table.ts do. */
function text(column: string): string {
  const guarded = `CASE WHEN ${column} GLOB '''*'
      OR substr(${column}, 1, 1) IN (char(9), char(10), char(13))
      OR ltrim(${column}, ${spaces}) GLOB '[=+@|＝＋－＠-]*' THEN '''' || ${column} ELSE ${column} END`
  return `(SELECT CASE WHEN t GLOB '*[",;|' || char(9, 10, 13) || ']*' OR t GLOB ' *' OR t GLOB '* '
      THEN '"' || replace(t, '"', '""') || '"' ELSE t END FROM (SELECT ${guarded} AS t))`
}

function amount(column: string): string {
  const of = (decimals: number) => {
    const unit = `1${'0'.repeat(decimals)}`
    return `rtrim(rtrim(printf('%d.%0${decimals}d', ${column} / ${unit}, ${column} % ${unit}), '0'), '.')`
  }
  return `CASE currency WHEN 'TON' THEN ${of(9)} ELSE ${of(6)} END`
}

/** Formats a time, with milliseconds unless they are 0. */
const moment = (column: string) =>
  `iif(${column} % 1000 = 0, strftime('%Y-%m-%dT%H:%M:%SZ', ${column} / 1000, 'unixepoch'),
    strftime('%Y-%m-%dT%H:%M:%S', ${column} / 1000, 'unixepoch') || printf('.%03dZ', ${column} % 1000))`

const matters = ['overpaid', 'paid-late', 'paid-after-cancel', 'partial', 'chain-ahead']
  .concat('gateway-ahead', 'reported-differs', 'unmatched')
  .map((kind, bit) => `iif(open_matters & ${1 << bit}, ' ${kind}', '')`)

/** Bits of the discrepancy kinds whose amount must be returned. */
const returned = 1 + 2 + 4 + 8 + 16

const cellOf: Readonly<Record<(typeof invoiceColumn.options)[number], string>> = {
  network: 'network',
  id: 'id',
  status: 'status',
  currency: 'currency',
  amount: amount('amount'),
  received: `CASE WHEN received > 0 OR (
      SELECT invoices.created_at BETWEEN read_from AND read_to FROM invoice_accounts
      WHERE network = invoices.network AND account = invoices.pay_to
    ) THEN ${amount('received')} END`,
  overpayment: amount('overpayment'),
  refunded: amount('refunded'),
  description: text('description'),
  order_reference: text('order_reference'),
  // Without a fiat currency the column is empty.
  fiat_value: "''",
  fiat_currency: "''",
  fiat_rate: "''",
  fiat_rate_at: "''",
  fiat_source: "''",
  payer: 'paid_by',
  payer_label: `(SELECT name FROM labels WHERE network = invoices.network AND address = paid_by)`,
  pay_to: 'pay_to',
  created: moment('created_at'),
  expires: moment('expires_at'),
  changed: moment('changed_at'),
  paid_on_chain: moment('paid_at'),
  transactions: `CASE WHEN received > 0 THEN (SELECT group_concat(hash, ' ') FROM (
      SELECT hash FROM payments WHERE invoice_key = invoices.key ORDER BY lt)) END`,
  matters: `CASE WHEN open_matters > 0 THEN substr(${matters.join(' || ')}, 2) ELSE '' END`,
  // The link of a partly paid invoice requests the remaining amount.
  payment_link: `CASE WHEN status = 'pending' AND received BETWEEN 1 AND amount - 1
    THEN replace(payment_link, 'amount=' || amount || '&', 'amount=' || (amount - received) || '&')
    ELSE payment_link END`,
  // No payment of the bench has another asset.
  due: `CASE status WHEN 'pending' THEN ${amount('max(amount - received, 0)')} ELSE '0' END`,
  to_return: `CASE WHEN open_matters & ${returned} = 0 THEN '0' ELSE ${amount(
    `max(overpayment, CASE status WHEN 'paid' THEN received - amount WHEN 'pending' THEN 0 ELSE received END)`,
  )} END`,
  uncounted: `''`,
  accepted_short: `''`,
  counts_with: `''`,
}
