import { AppError } from '../../../src-preload/domain/app-error.ts'

/** A file, or a text too long for a field: read in pieces, never as a whole. */
export type GivenFile = { readonly name: string; readonly blob: Blob }

/** These bytes of a file as base64. @throws when it has been moved, changed or removed */
export type ReadPiece = (blob: Blob, from: number, to: number) => Promise<string>

/** As much as goes over the bridge at once. */
const pieceBytes = 500_000

/**
 * A file piece by piece, with the byte it ends at; an empty file has one empty piece.
 * @throws AppError FILE_UNREADABLE
 */
export async function* readPieces({ name, blob }: GivenFile, readPiece: ReadPiece) {
  let at = 0
  do {
    const to = Math.min(blob.size, at + pieceBytes)
    let base64
    try {
      base64 = await readPiece(blob, at, to)
    } catch (cause) {
      const message = `“${name}” can no longer be read: it was moved, changed or removed. Open it again.`
      throw new AppError('FILE_UNREADABLE', message, { cause })
    }
    yield { base64, to }
    at = to
  } while (at < blob.size)
}

/** By the browser itself, outside the script: a loop over half a megabyte would be felt. */
export function readBase64(blob: Blob, from: number, to: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => {
      const url = reader.result as string
      resolve(url.slice(url.indexOf(',') + 1))
    }
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'))
    reader.readAsDataURL(blob.slice(from, to))
  })
}
