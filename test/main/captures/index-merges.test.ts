import { expect, test } from 'vitest'
import type { CaptureRecord } from '../../../src-main/captures/store/capture-record.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { openCaptureLog } from '../../fixtures/capture-log.ts'

function record(number: number): CaptureRecord {
  return {
    receivedAt: number,
    method: 'POST',
    target: '/hook',
    httpVersion: '1.1',
    remoteAddress: '127.0.0.1',
    rawHeaders: ['Host', 'localhost'],
    completeness: 'complete',
    incident: null,
    token: 'unchecked',
    tokenId: null,
    status: 200,
    bodyBytes: 0,
    body: Buffer.from(`order ${number}`),
  }
}

test('segments of the search index are merged after they are written', async () => {
  // The number is below 16, because FTS5 automatically merges 16 segments in one step without a time limit.
  const slices = 14
  await using log = await openCaptureLog()
  for (let id = 1; id <= slices; id += 1) {
    await log.append([record(id)])
    await log.index.ask('reach', { id })
  }
  using index = openDatabase(log.paths.index, { readOnly: true })
  const pieces = index.prepare('SELECT count(DISTINCT segid) AS n FROM search_idx')
  await expect.poll(() => Number(pieces.get()?.['n'])).toBeLessThan(slices / 2)
})
