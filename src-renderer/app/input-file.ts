/** The content of a file, here or at the main process. A `Blob` is one. */
export type FileContent = {
  readonly size: number
  slice(from: number, to: number): FileContent
  arrayBuffer(): Promise<ArrayBuffer>
}

/** A file, or a text too long for a field. It is read in pieces, never as a whole. */
export type InputFile = { readonly name: string; readonly blob: FileContent }
