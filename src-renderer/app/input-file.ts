/** The content of a file in the window or in the main process. A `Blob` has this form. */
export type FileContent = {
  readonly size: number
  slice(from: number, to: number): FileContent
  arrayBuffer(): Promise<ArrayBuffer>
}

/** A file, or a text that is too long for a field. It is read in pieces, never completely. */
export type InputFile = { readonly name: string; readonly blob: FileContent }
