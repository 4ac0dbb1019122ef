import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'

async function firstLine(child) {
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line)
  return undefined
}

/**
 * Starts browser mode from an unpacked archive, outside the clone so that nothing of the clone can
 * help it, and answers with what it does wrong.
 */
export async function tryPackedApp(appFolder, dataFolder) {
  const flags = ['--no-open', '--json', '--port', '0', '--receiver-port', '0']
  const child = spawn(
    process.execPath,
    [join(appFolder, 'out', 'main', 'serve.js'), '--data-dir', dataFolder, ...flags],
    {
      cwd: appFolder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_PATH: '' },
    },
  )
  const ended = once(child, 'exit')
  try {
    const ready = await Promise.race([firstLine(child), delay(20_000, undefined, { ref: false })])
    if (!ready) return ['the packed app did not start']
    const { appUrl, receiverUrl } = ready
    const page = await fetch(new URL('/', appUrl))
    const policy = page.headers.get('content-security-policy') ?? ''
    const hook = await fetch(receiverUrl, { method: 'POST', body: '{}' })
    return [
      !(await page.text()).includes('<script type="module"') && 'the page has no script',
      !policy.includes("default-src 'none'") && 'the page comes without the strict CSP',
      !policy.includes("require-trusted-types-for 'script'") && 'the CSP has no trusted types',
      hook.status !== 200 && `the receiver responded ${hook.status}`,
    ].filter(Boolean)
  } finally {
    child.kill()
    await ended
  }
}
