import process from 'node:process'

/**
 * Prints the progress of long work on standard error. A terminal shows one line that changes
 * in place; other outputs get a new line at most every ten seconds.
 */
export function createProgress(title, { quiet = false, stream = process.stderr } = {}) {
  const started = Date.now()
  const live = stream.isTTY && !quiet
  let detail = ''
  let told = started
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`
  const draw = () =>
    stream.write(`\r\u001b[2K${title} ${[detail, seconds()].filter(Boolean).join(', ')}`)
  if (!quiet && !live) stream.write(`${title}\n`)
  const timer = live ? setInterval(draw, 500) : undefined
  return {
    update(text) {
      detail = text
      if (quiet || live || Date.now() - told < 10_000) return
      told = Date.now()
      stream.write(`${title} ${detail}, ${seconds()}\n`)
    },
    end() {
      clearInterval(timer)
      if (live) stream.write(`\r\u001b[2K${title} ${seconds()}\n`)
    },
  }
}
