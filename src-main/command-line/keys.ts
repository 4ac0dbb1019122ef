import process from 'node:process'

/** A person sits at the terminal, whose keys can be taken one by one. */
export const hasKeys = process.stdin.isTTY && process.stdout.isTTY

/** Takes keys as they are pressed; nothing where nobody sits. @returns the way to stop */
export function takeKeys(onKey: (key: string) => void): () => void {
  if (!hasKeys) return () => undefined
  const take = (data: Buffer) => {
    for (const key of data.toString()) {
      // In this mode the terminal sends no signals: Ctrl-C is made one here.
      if (key === '\u0003') process.kill(process.pid, 'SIGINT')
      else onKey(key)
    }
  }
  process.stdin.setRawMode(true)
  process.stdin.on('data', take)
  return () => {
    process.stdin.off('data', take)
    process.stdin.setRawMode(false)
    process.stdin.pause()
  }
}
