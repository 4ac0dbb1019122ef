/** Streams a ZIP archive. The sizes of an entry follow its data, so no entry has to fit in memory. */
import { pipeline } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'

export type ZipEntry = {
  readonly path: string
  readonly text: AsyncIterable<string> | Iterable<string>
}

type Sizes = { crc: number; packed: number; size: number }

const version = 20
/** The flags mean that the sizes follow the data (bit 3) and that the path is UTF-8 (bit 11). */
const flags = 0x0808
const deflated = 8
/** Every entry has the first date of the format, so that equal entries give equal archives. */
const date = 0x21
const largest = 0xffff_ffff

/** @throws RangeError beyond 4 GiB, because LibreOffice cannot read a streamed ZIP64 archive */
export async function* formatZip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = []
  let at = 0
  for await (const { path, text } of entries) {
    const name = Buffer.from(path)
    const sizes: Sizes = { crc: 0, packed: 0, size: 0 }
    const start = at
    const header = concat(long(0x0403_4b50), short(version), fields(sizes, name), name)
    yield header
    for await (const piece of deflate(text, sizes)) {
      sizes.packed += piece.length
      yield piece
    }
    const { crc, packed, size } = sizes
    const descriptor = long(0x0807_4b50, crc, packed, size)
    yield descriptor
    at += header.length + packed + descriptor.length
    if (at > largest || size > largest) {
      throw new RangeError('A workbook holds at most 4 GiB. Export fewer rows at a time.')
    }
    directory.push(
      concat(
        ...[long(0x0201_4b50), short(version, version), fields(sizes, name)],
        ...[short(0, 0, 0), long(0, start), name],
      ),
    )
  }
  yield* directory
  const listed = directory.reduce((sum, { length }) => sum + length, 0)
  const count = directory.length
  yield concat(long(0x0605_4b50), short(0, 0, count, count), long(listed, at), short(0))
}

/** The fields that are common to an entry's header and to its line in the directory. */
const fields = ({ crc, packed, size }: Sizes, name: Buffer): Buffer =>
  concat(short(flags, deflated, 0, date), long(crc, packed, size), short(name.length, 0))

function deflate(text: ZipEntry['text'], sizes: Sizes): AsyncIterable<Buffer> {
  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const chunk of text) {
      const piece = Buffer.from(chunk)
      sizes.crc = crc32(piece, sizes.crc)
      sizes.size += piece.length
      yield piece
    }
  }
  // An error of the input ends the iteration over the result with the same error.
  return pipeline(bytes(), createDeflateRaw(), () => undefined)
}

const short = (...values: readonly number[]): Buffer => Buffer.from(Uint16Array.from(values).buffer)

const long = (...values: readonly number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer)

const concat = (...parts: readonly Buffer[]) => Buffer.concat(parts)
