/** Fills a data directory with captures through the product's own writer, faster than by HTTP. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import type { CaptureRecord } from '../../../src-main/captures/store/capture-record.ts'
import { createAppender } from '../../../src-main/captures/store/capture-appender.ts'
import { createCaptureWriter } from '../../../src-main/captures/store/capture-writer.ts'
import { openStore } from '../../../src-main/database/open-store.ts'
import { dataPaths } from '../../../src-main/app/paths.ts'
import { writerThread } from '../../../src-main/threads/threads.ts'

const batchSize = 1_000

/**
 * @param make builds the record of a number from 0; by default the records are spread over the last
 * day, and every thousandth contains the word `order-<n>`
 */
export async function fillCaptures(
  dataDirectory: string,
  count: number,
  make: (number: number) => CaptureRecord = plain(count),
): Promise<void> {
  mkdirSync(join(dataDirectory), { recursive: true, mode: 0o700 })
  const paths = dataPaths(dataDirectory)
  const { database } = await openStore(paths, new Date())
  database.close()
  const writer = await createCaptureWriter(
    { database: paths.database, index: paths.index },
    writerThread,
    { onAppended: () => undefined, onTrouble: () => undefined, onDamage: () => undefined },
  )
  const send = createAppender(writer.connect())
  for (let from = 0; from < count; from += batchSize) {
    const size = Math.min(batchSize, count - from)
    const written = Promise.withResolvers<undefined>()
    let left = size
    const records = Array.from({ length: size }, (_, index) => make(from + index))
    const onWritten = records.map(() => (problem: string | null) => {
      left -= 1
      if (problem !== null) written.reject(new Error(problem))
      else if (left === 0) written.resolve(undefined)
    })
    send(records, onWritten)
    await written.promise
  }
  await writer.close()
}

function plain(count: number): (number: number) => CaptureRecord {
  const start = (Date.now() - 86_400_000) * 1000
  const step = 86_400_000_000 / count
  return (number) => record(number, start, step)
}

function record(number: number, start: number, step: number) {
  const hash = createHash('sha256').update(String(number)).digest('hex')
  const order = number % 1_000 === 0 ? `,"comment":"order-${number}"` : ''
  const body = Buffer.from(
    `{"event_type":"account_tx","account_id":"0:${hash.slice(0, 2).repeat(32)}","lt":${25713146000000 + number},"tx_hash":"${hash}"${order}}`,
  )
  return {
    receivedAt: Math.round(start + number * step),
    method: 'POST',
    target: `/hook/${'0'.repeat(32)}`,
    httpVersion: '1.1',
    remoteAddress: '127.0.0.1',
    // prettier-ignore
    rawHeaders: ['Host', '127.0.0.1:4801', 'User-Agent', 'tonapi', 'Content-Type', 'application/json', 'Authorization', 'Bearer 0123456789abcdef', 'Content-Length', String(body.length)],
    completeness: 'complete',
    incident: null,
    token: 'unchecked',
    tokenId: null,
    status: number % 97 === 0 ? 401 : 200,
    bodyBytes: body.length,
    body,
  } as const
}
