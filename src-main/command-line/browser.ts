/**
 * Opening the user's browser at a start URL.
 *
 * Threat model: every user of a computer can read the arguments of every process, and the start URL
 * is a secret until it is spent. So what the browser is started with is the path of a file in the data
 * directory that only its owner can read, which leads on to the URL.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'

const pattern = /^open-[0-9a-f]{16}\.html$/

/** Named by the token, so that the process that sees it spent can delete what another wrote. */
function redirectFile(dataDirectory: string, start: string): string {
  const name = createHash('sha256').update(start).digest('hex').slice(0, 16)
  return join(dataDirectory, `open-${name}.html`)
}

/** Resolves with null when a browser was started, else with why none was. */
export async function openInBrowser(dataDirectory: string, url: string): Promise<string | null> {
  const opener = findOpener()
  if (!opener) return 'There is no display here.'
  const { hash } = new URL(url)
  const file = redirectFile(dataDirectory, hash.replace('#start=', ''))
  await writeFile(file, redirectPage(url), { mode: 0o600 })
  return new Promise((resolve) => {
    const child = spawn(opener, [file], { stdio: 'ignore', detached: true })
    child.on('error', () => resolve(`The program ${opener} is not there.`))
    child.once('spawn', () => {
      child.unref()
      resolve(null)
    })
  })
}

export async function removeRedirectFile(dataDirectory: string, start: string): Promise<void> {
  await rm(redirectFile(dataDirectory, start), { force: true })
}

/** Those of tokens never spent, also by a process that was killed. */
export async function removeRedirectFiles(dataDirectory: string): Promise<void> {
  const names = await readdir(dataDirectory).catch(() => [])
  for (const name of names) {
    if (pattern.test(name)) await rm(join(dataDirectory, name), { force: true })
  }
}

function findOpener(): string | null {
  if (process.platform === 'darwin') return 'open'
  if (process.platform === 'win32') return 'explorer.exe'
  // Without a display xdg-open would take over this terminal with a text browser.
  return process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'] ? 'xdg-open' : null
}

function redirectPage(url: string): string {
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Tondesk</title>
<a href="${address}">Open Tondesk</a>
`
}
