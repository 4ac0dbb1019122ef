/** Saves bytes as a file, exactly as they are. */
export function saveBytes(parts: readonly Uint8Array<ArrayBuffer>[], name: string): void {
  // No browser opens this type, so that the file is saved and never shown.
  const url = URL.createObjectURL(new Blob([...parts], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has its own hold on the bytes once it has begun.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
