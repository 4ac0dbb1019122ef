/**
 * Runs browser mode: `serve` in its own process, with its page in a new context of a shared Chromium.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Browser } from '@playwright/test'
import { nodeArguments } from '../../stand-in/chromium.ts'
import { type Running, type Start, withDeadline, watchPage } from './host.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

type ReadyLine = { readonly appUrl: string; readonly receiverUrl: string | null }

export function createBrowserHost(getBrowser: () => Promise<Browser>): Start {
  return async ({ dataDirectory, args, onProblem, signal }): Promise<Running> => {
    const child = spawn(
      process.execPath,
      [
        ...nodeArguments,
        'out/main/serve.js',
        '--no-open',
        '--json',
        '--port',
        '0',
        '--data-dir',
        dataDirectory,
        ...args,
      ],
      {
        cwd: root,
        env: { ...process.env, TONDESK_CHECK_OUTPUT: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
    signal?.addEventListener('abort', () => child.kill('SIGKILL'))
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    const firstLine = new Promise<string>((resolve, reject) => {
      createInterface(child.stdout).once('line', resolve)
      void exit.then((code) =>
        reject(new Error(`serve ended with ${code ?? 'a signal'}.\n${stderr}`)),
      )
    })
    const ready = JSON.parse(await firstLine) as ReadyLine
    const browser = await getBrowser()
    const context = await browser.newContext({
      viewport: { width: 1280, height: 820 },
      // Without a graphics card, the processor would draw each frame of a fade.
      reducedMotion: 'reduce',
    })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], {
      origin: new URL(ready.appUrl).origin,
    })
    const page = await context.newPage()
    watchPage(page, onProblem)
    await page.goto(ready.appUrl)

    const running: Running = {
      page,
      receiverUrl: ready.receiverUrl,
      processId: child.pid ?? -1,
      exit,
      readClipboard: () => page.evaluate(() => navigator.clipboard.readText()),
      async opened(act) {
        const opened = context.waitForEvent('page')
        await act()
        return opened
      },
      async kill() {
        // The page closes first, because it would report the lost connection.
        await context.close()
        child.kill('SIGKILL')
        await exit
      },
      async quit() {
        await context.close()
        child.kill('SIGTERM')
        return withDeadline(exit, 'Ending browser mode')
      },
      // The server keeps running and serves a new app to the same page.
      afterRestart: () => Promise.resolve(running),
    }
    return running
  }
}
