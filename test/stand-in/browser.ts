/** Runs the Chromium that shows the stand-in's windows; it starts when the app waits to be ready. */
import { mkdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type BrowserContext, chromium } from '@playwright/test'
import { deadlines } from '../deadlines.ts'
import { chromiumArguments, chromiumPath } from './chromium.ts'

export type Browser = {
  readonly context: BrowserContext
  /** The address at which a test can attach to the same pages. */
  readonly endpoint: string
}

export async function startBrowser(userData: string): Promise<Browser> {
  const shared = process.env['STAND_IN_BROWSER']
  if (shared !== undefined && shared !== '') {
    const running = await chromium.connectOverCDP(shared, { timeout: deadlines.wait })
    // The browser ends with this connection, and so with this process.
    const context = await running.newContext({ viewport: null, colorScheme: null })
    context.setDefaultTimeout(deadlines.wait)
    return { context, endpoint: shared }
  }
  const profile = profileIn(userData)
  mkdirSync(profile, { recursive: true })
  await untilFree(profile)
  const headed = process.env['STAND_IN_HEADED'] === '1'
  const path = chromiumPath({ headed })
  const context = await chromium.launchPersistentContext(profile, {
    ...(path === undefined ? {} : { executablePath: path }),
    // The pipe belongs to this process, so that the browser ends with it; the test uses the port,
    // which is any free one.
    args: [...chromiumArguments, '--remote-debugging-port=0'],
    headless: !headed,
    timeout: deadlines.wait,
    viewport: null,
    colorScheme: null,
    handleSIGHUP: false,
    handleSIGINT: false,
    handleSIGTERM: false,
  })
  context.setDefaultTimeout(deadlines.wait)
  const [port, path2] = readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n')
  return { context, endpoint: `ws://127.0.0.1:${port ?? ''}${path2 ?? ''}` }
}

export function profileIn(userData: string): string {
  return join(userData, 'stand-in-profile')
}

/** The browser of a killed process takes a moment to notice this, and writes to its profile until then. */
export async function untilFree(profile: string): Promise<void> {
  const lock = join(profile, 'SingletonLock')
  for (let tries = 0; tries < deadlines.wait / 25 && isHeld(lock); tries += 1) await wait(25)
}

function isHeld(lock: string): boolean {
  try {
    const holder = Number(/-(\d+)$/.exec(readlinkSync(lock))?.[1])
    process.kill(holder, 0)
    return true
  } catch {
    return false
  }
}
