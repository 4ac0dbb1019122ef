import { expect, test } from 'vitest'
import {
  type CaptureRecord,
  type DecodedRecord,
  countRecords,
  joinHeaders,
  packRecords,
  splitHeaders,
  unpackRecords,
} from '../../../src-main/captures/store/capture-record.ts'

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

const plain: CaptureRecord = {
  receivedAt: 1_790_000_000_123_457,
  method: 'POST',
  target: '/hook/x?a=1',
  httpVersion: '1.1',
  remoteAddress: '127.0.0.1',
  rawHeaders: ['Host', 'x', 'X-Twice', '1', 'x-twice', '2'],
  completeness: 'complete',
  incident: null,
  token: 'unchecked',
  tokenId: null,
  status: 200,
  bodyBytes: 256,
  body: everyByte,
}

const bare: CaptureRecord = {
  ...plain,
  target: '',
  rawHeaders: [],
  bodyBytes: 0,
  body: Buffer.of(),
}

const odd: CaptureRecord = {
  ...plain,
  method: 'M-SEARCH',
  // Node provides each byte of the request as one character.
  target: `/hook/x/${everyByte.subarray(0x80).toString('latin1')}`,
  remoteAddress: 'fe80::1%eth0',
  rawHeaders: ['X-Bytes', everyByte.subarray(0xa0).toString('latin1'), 'X-Empty', ''],
  completeness: 'truncated',
  incident: 'The body is longer than the limit of 1024 bytes.',
  token: 'right',
  tokenId: '0b5c7d0e-0000-4000-8000-000000000000',
  status: 413,
  bodyBytes: 0xffff_ffff,
  body: everyByte.subarray(0, 3),
}

const gone: CaptureRecord = { ...plain, completeness: 'partial', token: 'missing', status: null }

function roundTrip(records: readonly CaptureRecord[]): DecodedRecord[] {
  const read: DecodedRecord[] = []
  const packed = packRecords(records)
  expect(countRecords(packed)).toBe(records.length)
  // Bodies are views that must not be used after the buffer.
  unpackRecords(packed, (record) => read.push({ ...record, body: Buffer.from(record.body) }))
  return read
}

test("a record passes through the writer's buffer unchanged, whatever its neighbours", () => {
  const records = [plain, bare, odd, gone, bare, odd, plain]
  for (const [index, record] of roundTrip(records).entries()) {
    const { rawHeaders, ...rest } = records[index] ?? plain
    expect({ ...record, body: Buffer.from(record.body) }).toEqual({
      ...rest,
      body: Buffer.from(rest.body),
      headers: joinHeaders(rawHeaders),
    })
  }
})

test('packing and unpacking keeps the name of every token verdict and of every body completeness', () => {
  const records = (['right', 'wrong', 'missing', 'unchecked'] as const).flatMap((token) =>
    (['complete', 'truncated', 'partial'] as const).map((completeness) => ({
      ...plain,
      token,
      completeness,
    })),
  )
  const names = (record: CaptureRecord | DecodedRecord) => [record.token, record.completeness]
  expect(roundTrip(records).map(names)).toEqual(records.map(names))
})

test('headers keep their order, case, duplicates and empty values', () => {
  for (const { rawHeaders } of [plain, bare, odd]) {
    const pairs = splitHeaders(joinHeaders(rawHeaders))
    expect(pairs.flat()).toEqual(rawHeaders)
  }
})
