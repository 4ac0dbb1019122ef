import { jsonlFormat } from '../export/format-jsonl.ts'
import { type ReadRecord, RecordProblem, bytesOf, fieldsOf, readRecord } from './read-record.ts'

/** A line as `format-jsonl.ts` writes it. @throws RecordProblem */
export function readJsonLine(value: unknown): ReadRecord {
  const fields = fieldsOf(value)
  if (fields === null) throw new RecordProblem('it is no object')
  const { tondesk, headers, body } = fields
  if (tondesk === undefined) throw new RecordProblem('it is no capture')
  if (tondesk !== jsonlFormat) {
    throw new RecordProblem('it is of a newer format than this version of Tondesk reads')
  }
  if (!Array.isArray(headers)) throw new RecordProblem('it has no headers')
  if (typeof body !== 'string') throw new RecordProblem('it has no body')
  return readRecord({
    receivedAt: fields['received_at'],
    durationUs: fields['duration_us'],
    method: fields['method'],
    target: fields['target'],
    httpVersion: fields['http_version'],
    headers: headers.map((pair: unknown) =>
      Array.isArray(pair) && pair.length === 2 ? [pair[0], pair[1]] : [null, null],
    ),
    body: bytesOf(body),
    bodyBytes: fields['body_bytes'],
    status: fields['status'],
    completeness: fields['completeness'],
    incident: fields['incident'],
    token: fields['token'],
    remoteAddress: fields['remote_address'],
    pinned: fields['pinned'],
    note: fields['note'],
  })
}
