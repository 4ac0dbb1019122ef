/**
 * Tests the only reader of text files from the user: encodings, line ends, delimiters, and files
 * that are not text.
 */
import { expect, test } from 'vitest'
import { readLabelCsv } from '../../../src-main/explorer/labels/labels.ts'
import { readInvoiceFile } from '../../../src-main/invoices/issue/drafts.ts'
import { createAddressList } from '../../../src-main/lookups/drafts.ts'
import { reportFile } from '../../../src-main/webhooks/file/read-file.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import {
  createPieceDecoder,
  decodeTextFile,
  describeBinaryFile,
} from '../../../src-preload/domain/text-file.ts'

const address = `0:${'83'.repeat(32)}`
const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16()
const encodings: readonly (readonly [name: string, encode: (text: string) => Uint8Array])[] = [
  ['UTF-8', (text) => Buffer.from(text)],
  ['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16LE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16BE', (text) => swapped(`\ufeff${text}`)],
  ['UTF-16LE without a mark', (text) => Buffer.from(text, 'utf16le')],
  ['UTF-16BE without a mark', (text) => swapped(text)],
]

/** Yields a table in each form in which spreadsheets save it. */
function* forms(rows: readonly (readonly string[])[]): Generator<[form: string, text: string]> {
  for (const end of ['\n', '\r\n', '\r']) {
    for (const [delimiter, separatorLine] of [
      ...[[','], [';'], ['\t']],
      ...[',', ';', '\t', '|'].flatMap((each) => [
        [each, `sep=${each}${end}`],
        [each, `"sep=${each}"${end}`],
        [each, `SEP=${each};;${end}`],
      ]),
    ] as [string, string?][]) {
      const quote = (cell: string) =>
        /[,;\t|"\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
      const lines = rows.map((cells) => cells.map(quote).join(delimiter))
      const text = `${separatorLine ?? ''}${lines.join(end)}${end}`
      yield [JSON.stringify(text.slice(0, 30)), text]
    }
  }
}

function* files(
  rows: readonly (readonly string[])[],
): Generator<[form: string, bytes: Uint8Array]> {
  for (const [name, encode] of encodings) {
    for (const [form, text] of forms(rows)) yield [`${name} ${form}`, encode(text)]
  }
}

function exhaust(steps: Generator<void, void>): void {
  while (steps.next().done !== true);
}

test('a file of invoices is parsed equally in every encoding, with every line end and delimiter', () => {
  const rows = [
    ['amount', 'currency', 'description'],
    ['1234,50', 'USDT', 'Müller; "Söhne", 1|2'],
  ]
  for (const [form, bytes] of files(rows)) {
    const usual = { currency: 'TON', lifeTimeSeconds: 3600 } as const
    const { lines } = readInvoiceFile(decodeTextFile([bytes]), usual)
    expect([form, lines]).toMatchObject([
      form,
      [
        {
          amount: 1_234_500_000n,
          currency: 'USDT',
          description: 'Müller; "Söhne", 1|2',
          problem: null,
        },
      ],
    ])
    expect([form, lines[0]?.line]).toEqual([form, /sep=/i.test(form) ? 3 : 2])
  }
})

test('a file of labels is parsed equally in every encoding, with every line end and delimiter', () => {
  const rows = [
    ['address', 'name', 'note'],
    [address, 'Müller; Söhne', 'a "b", c|d'],
  ]
  for (const [form, bytes] of files(rows)) {
    expect([form, readLabelCsv(decodeTextFile([bytes]))]).toMatchObject([
      form,
      [{ address, name: 'Müller; Söhne', note: 'a "b", c|d', isUnclosed: false }],
    ])
  }
})

test('a list of subscriptions is parsed equally in every encoding, with every line end and delimiter', () => {
  const rows = [
    ['endpoint', 'kind', 'value', 'label'],
    ['https://example.com/hook', 'account', address, 'Müller; Söhne, "a|b"'],
    ['https://example.com/hook', 'opcode', '0x0f8a7ea5', ''],
  ]
  for (const [form, bytes] of files([...rows, ...rows.slice(1)])) {
    const accounts: unknown[] = []
    reportFile(
      { pieces: [bytes], format: 'csv', testOnly: false },
      { webhook: () => undefined, more: (lists) => accounts.push(...(lists.accounts ?? [])) },
    )
    expect([form, accounts[0]]).toMatchObject([form, { label: 'Müller; Söhne, "a|b"' }])
  }
})

test('a list of addresses is parsed equally in every encoding, with every line end and delimiter', () => {
  const rows = [
    ['customer', 'address', 'note'],
    ['Müller; Söhne', address, 'a "b", c|d'],
    ['Meyer', 'alice.ton', ''],
  ]
  for (const [form, bytes] of files(rows)) {
    const list = createAddressList(false)
    const decoder = createPieceDecoder()
    // Pieces of one byte split each character and each line end.
    for (const byte of bytes) exhaust(list.take(decoder.read(Uint8Array.of(byte))))
    exhaust(list.take(decoder.end()))
    exhaust(list.end())
    const line = /sep=/i.test(form) ? 3 : 2
    expect([form, list.lines(null, 0, 10)]).toMatchObject([
      form,
      [
        { line, address, status: 'valid', others: ['Müller; Söhne', 'a "b", c|d'] },
        { line: line + 1, text: 'alice.ton', status: 'valid', others: ['Meyer', ''] },
      ],
    ])
    expect([form, list.columns()]).toEqual([form, ['customer', 'note']])
  }
})

test('the error of a file that is not text names the kind of the file, in one piece and in many', () => {
  const zip = (name: string) => `PK\u0003\u0004${'\u0000'.repeat(26)}${name}`
  for (const [head, name] of [
    [zip('[Content_Types].xml'), 'an Excel workbook'],
    [zip('_rels/.rels'), 'an Excel workbook'],
    [zip('xl/workbook.xml'), 'an Excel workbook'],
    [zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet'), 'an OpenDocument spreadsheet'],
    [zip('Index/Document.iwa'), 'a ZIP archive'],
    ['\u00d0\u00cf\u0011\u00e0\u00a1\u00b1', 'an Excel workbook of the format before 2007'],
    ['%PDF-1.7\n', 'a PDF document'],
    ['\u001f\u008b\u0008', 'a gzip archive'],
    ['\u0001\u0002\u0000\u0000', 'a binary file'],
  ] as const) {
    const bytes = Buffer.from(head, 'latin1')
    expect(describeBinaryFile(bytes)).toBe(name)
    const problem = `The file is ${name}. Save the table as “CSV UTF-8”, and open the CSV file.`
    expect(() => decodeTextFile([bytes])).toThrow(new AppError('FILE_NO_TEXT', problem))
    expect(() => decodeTextFile([...bytes].map((byte) => Uint8Array.of(byte)))).toThrow(problem)
    const question = { pieces: [bytes], format: 'csv', testOnly: false } as const
    const reports = { webhook: () => undefined, more: () => undefined }
    const refusal = new AppError('PLAN_FILE_INVALID', problem, { data: {} })
    expect(() => reportFile(question, reports)).toThrow(refusal)
  }
  for (const text of ['', 'P', 'PK,1', '{"log":1}', 'é', '%PD', '[1]']) {
    expect(describeBinaryFile(Buffer.from(text))).toBeNull()
    expect(decodeTextFile([Buffer.from(text)])).toBe(text)
  }
})

test('a file in another encoding is refused', () => {
  const bytes = Buffer.from('amount,description\n1,M\u00fcller\n', 'latin1')
  const problem = 'The file is not valid UTF-8 text. Save the table as “CSV UTF-8”'
  expect(() => decodeTextFile([bytes])).toThrow(problem)
  expect(() => decodeTextFile([Buffer.alloc(200, 'a'), bytes])).toThrow(problem)
  expect(() => decodeTextFile([Buffer.from('é').subarray(0, 1)])).toThrow(problem)
  expect(() => decodeTextFile([Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x62])])).toThrow(
    'not valid UTF-16LE',
  )
})

test('a label with an unclosed quotation mark is marked as unclosed with its first line', () => {
  const csv = `address,name,note\n${address},a,"open\n${address},b,\n`
  expect(readLabelCsv(csv)).toMatchObject([{ line: 2, isUnclosed: true }])
})
