/** Parses a file as it arrives, and writes its captures to a spool file until all were read. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { whyUnwritable } from '../../exports/write-file.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { captureFileCodes } from '../../../src-preload/domain/error-codes.ts'
import {
  createPieceDecoder,
  describeBinaryFile,
  encodingOf,
} from '../../../src-preload/domain/text-file.ts'
import { readJson } from '../json-tokens.ts'
import { packRecords } from '../store/capture-record.ts'
import type { PutDetail } from '../../threads/writer-messages.ts'
import type { ImportOrder } from './orders.ts'
import { type ReadRecord, RecordProblem, readHarEntry, readJsonLine } from './read-record.ts'
import {
  type FoundRecord,
  type Splitter,
  createHarSplitter,
  harEntries,
  createLineSplitter,
} from './split-records.ts'

export type ImportRun = ReturnType<typeof createImportRun>

/** Maximum bytes of a record: the largest body as base64, with headers. */
const largestRecord = 100 * 1024 * 1024
/** Maximum bytes of a slice; a longer slice would delay deliveries. */
const sliceBytes = 1024 * 1024
const sliceRecords = 200
const maxRemarks = 20
/** A file with more invalid records is rejected, because it may be crafted to waste time. */
const maxSkipped = 100_000
const sniffedBytes = 64 * 1024
const importText = 'Extract or export the HAR file or the JSON Lines, and import that file.'

export function createImportRun(order: ImportOrder) {
  const spool = createSpool(order.spool)
  let format: 'har' | 'jsonl' | null = null
  let splitter: Splitter | null = null
  let decoder: ReturnType<typeof createPieceDecoder> | null = null
  /** A single entry is read as a list of one. */
  let isOneEntry = false
  let beginning: Buffer = Buffer.alloc(0)
  let imported = 0
  let skipped = 0
  const remarks: string[] = []

  function remark(text: string): void {
    if (remarks.length < maxRemarks) remarks.push(text)
  }

  function found({ where, problem, bytes }: FoundRecord): void {
    try {
      if (bytes === null) throw new RecordProblem(problem ?? '')
      spool.add(read(bytes))
      imported += 1
    } catch (error) {
      if (!(error instanceof RecordProblem)) throw error
      skipped += 1
      remark(`${where}: ${error.message}.`)
      if (skipped <= maxSkipped) return
      const limit = maxSkipped.toLocaleString('en')
      throw badFile(
        `“${order.name}” has too many values that are not requests: more than ${limit}. The first: ${remarks[0] ?? ''} Nothing was imported.`,
      )
    }
  }

  function read(bytes: Buffer): ReadRecord {
    const value = parse(bytes)
    return format === 'har' ? readHarEntry(value) : readJsonLine(value)
  }

  function begin(isWhole: boolean): void {
    if (splitter !== null || (!isWhole && beginning.length < sniffedBytes)) return
    const binary = describeBinaryFile(beginning)
    if (binary !== null) {
      throw badFile(`“${order.name}” is ${binary}. ${importText} Nothing was imported.`)
    }
    if (encodingOf(beginning) !== 'UTF-8') decoder = createPieceDecoder(importText)
    const part = decoded(beginning, isWhole)
    const text = part.toString('utf8').replace(/^\ufeff/, '')
    format = formatOf(text, order.name)
    isOneEntry = format === 'har' && isEntry(text)
    const isList = isOneEntry || text.trimStart().startsWith('[')
    splitter =
      format === 'jsonl'
        ? createLineSplitter(found, largestRecord)
        : createHarSplitter(found, largestRecord, isList ? [null] : harEntries)
    if (isOneEntry) splitter.push(Buffer.from('['))
    splitter.push(part)
    beginning = Buffer.alloc(0)
  }

  /** Converts UTF-16 to UTF-8; other bytes stay unchanged. */
  function decoded(bytes: Buffer, isLast: boolean): Buffer {
    if (decoder === null) return bytes
    const text = decoder.read(bytes)
    return Buffer.from(isLast ? text + decoder.end() : text)
  }

  const progress = () => ({ format, imported, skipped, remarks: [...remarks] })

  return {
    /** @throws AppError EXCHANGE_BAD_FILE, EXCHANGE_UNWRITABLE */
    piece(bytes: Uint8Array) {
      const part = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      if (splitter === null) {
        beginning = Buffer.concat([beginning, part])
        begin(false)
      } else splitter.push(decoded(part, false))
      return progress()
    },
    /** @throws AppError as `piece` does, and if the file contains no captures */
    end() {
      if (splitter === null) begin(true)
      else splitter.push(decoded(Buffer.alloc(0), true))
      if (isOneEntry) splitter?.push(Buffer.from(']'))
      const broken = splitter?.end() ?? null
      if (broken !== null) remark(broken)
      spool.flush()
      if (imported > 0) return progress()
      const [first] = remarks
      const why = first === undefined ? ': its list of requests is empty or missing.' : `: ${first}`
      throw badFile(`“${order.name}” contains no request that can be imported${why}`)
    },
    slice: spool.slice,
  }
}

/** A new file that contains the captures until the whole import file was read. */
function createSpool(path: string) {
  const spool = orUnwritable(path, () => openSync(path, 'wx+', 0o600))
  let spooledTo = 0
  let readTo = 0
  let waiting: ReadRecord[] = []
  let waitingBytes = 0

  function flush(): void {
    if (waiting.length === 0) return
    const packed = Buffer.from(packRecords(waiting.map(({ record }) => record)))
    const details = Buffer.from(JSON.stringify(waiting.map(({ detail }) => detail)))
    const head = Buffer.alloc(8)
    head.writeUInt32LE(packed.length, 0)
    head.writeUInt32LE(details.length, 4)
    for (const part of [head, packed, details]) write(part)
    waiting = []
    waitingBytes = 0
  }

  function write(bytes: Buffer): void {
    orUnwritable(path, () => {
      let from = 0
      while (from < bytes.length) {
        const done = writeSync(spool, bytes, from, bytes.length - from, spooledTo)
        from += done
        spooledTo += done
      }
    })
  }

  function take(length: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(length)
    let from = 0
    while (from < length) {
      const done = readSync(spool, bytes, from, length - from, readTo)
      if (done === 0)
        throw new Error('The temporary file of the import was truncated. Import the file again.')
      from += done
      readTo += done
    }
    return bytes
  }

  /** Returns the next captures to store; null at the end. */
  function slice() {
    if (readTo >= spooledTo) {
      closeSync(spool)
      return null
    }
    const head = take(8)
    const packed = take(head.readUInt32LE(0))
    const details = JSON.parse(take(head.readUInt32LE(4)).toString('utf8')) as PutDetail[]
    return { packed: packed.buffer as ArrayBuffer, details }
  }

  return {
    flush,
    slice,
    add(one: ReadRecord): void {
      waiting.push(one)
      const { body, rawHeaders, target } = one.record
      waitingBytes += rawHeaders.reduce(
        (sum, { length }) => sum + length,
        body.byteLength + target.length,
      )
      if (waiting.length >= sliceRecords || waitingBytes >= sliceBytes) flush()
    },
  }
}

const isEntry = (text: string): boolean =>
  /^\s*\{(?!\s*"log")/.test(text) && /"request"\s*:\s*\{/.test(text)

function formatOf(text: string, name: string): 'har' | 'jsonl' {
  if (text.trim() === '') throw badFile(`“${name}” is empty. Nothing was imported.`)
  if (/^\s*\{\s*"tondesk"/.test(text)) return 'jsonl'
  if (/^\s*(?:\{\s*"log"|\[)/.test(text) || isEntry(text) || /\.har$/i.test(name)) return 'har'
  if (/\.(?:jsonl|ndjson)$/i.test(name)) return 'jsonl'
  if (/^\s*\{/.test(text)) return /^\s*\{[^\n]*\}\s*\n/.test(text) ? 'jsonl' : 'har'
  throw badFile(`“${name}” is neither a HAR file nor JSON Lines of Tondesk. Nothing was imported.`)
}

function parse(bytes: Buffer): unknown {
  try {
    return readJson(bytes.toString('utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    throw new RecordProblem(error instanceof Error ? error.message : String(error))
  }
}

const badFile = (message: string): AppError => new AppError(captureFileCodes.badFile, message)

function orUnwritable<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw new AppError(
      captureFileCodes.unwritable,
      `The import cannot be stored in ${dirname(path)}: ${whyUnwritable(cause)}. Nothing was imported.`,
      { cause },
    )
  }
}
