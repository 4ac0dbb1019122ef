import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { missingPackages } from './system-packages.mjs'

async function firstLine(child) {
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line)
  return undefined
}

/**
 * Starts browser mode from an unpacked archive and returns the problems found. The archive is
 * outside the clone, so that it cannot use the clone's files.
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
    const ready = await Promise.race([firstLine(child), delay(600_000, undefined, { ref: false })])
    if (!ready) return ['the packed app did not start']
    const { appUrl, receiverUrl } = ready
    const read = async (path) => {
      const response = await fetch(new URL(path, appUrl))
      return {
        policy: response.headers.get('content-security-policy') ?? '',
        text: await response.text(),
      }
    }
    const page = await read('/')
    const hook = await fetch(receiverUrl, { method: 'POST', body: '{}' })
    return [
      !page.text.includes('<script type="module"') && 'the page has no script',
      !page.policy.includes("default-src 'none'") && 'the page comes without the strict CSP',
      !page.policy.includes("require-trusted-types-for 'script'") && 'the CSP has no trusted types',
      !(await read('/about/licences.json')).text.includes('"undici"') && 'the licences lack undici',
      hook.status !== 200 && `the receiver responded ${hook.status}`,
    ].filter(Boolean)
  } finally {
    child.kill()
    await ended
  }
}

/**
 * Starts the desktop app's main bundle from an unpacked archive with the stand-in for Electron,
 * like an installed app, and inspects its window.
 * @returns `problems`, or `skipped`: a sentence that says why it cannot run here
 */
export async function tryPackedDesktop(appFolder, dataFolder) {
  const [missing] = missingPackages(['e2e'])
  if (missing) return { problems: [], skipped: `The stand-in needs ${missing.what}.` }
  const { launchStandIn } = await import('../../test/stand-in/launch.ts')
  const seen = []
  const app = launchStandIn({
    dataDirectory: dataFolder,
    appFolder,
    args: ['--receiver-port', '0'],
    env: { STAND_IN_PACKAGED: '1', NODE_PATH: '' },
    onProblem: (text) => seen.push(`the page reports: ${text}`),
  })
  try {
    const { receiverUrl } = await app.ready
    const page = await app.page()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    const hook = await fetch(receiverUrl, { method: 'POST', body: '{}' })
    if (hook.status !== 200) seen.push(`the receiver responded ${hook.status}`)
    await app.ask('quit')
    const { code } = await app.exit
    if (code !== 0) seen.push(`the app ended with ${code}: ${app.stderr()}`)
  } catch (error) {
    seen.push(`the packed app does not start on the stand-in: ${error.message}`)
    await app.kill()
  }
  return { problems: seen, skipped: null }
}
