/** Saves bytes unchanged as a file. */
export function saveBytes(parts: readonly Uint8Array<ArrayBuffer>[], name: string): void {
  // No browser can display this type, so the file is saved and never shown.
  const url = URL.createObjectURL(new Blob([...parts], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Once the download has begun, it keeps the bytes itself.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
