/** Tests the app's state on Windows and macOS, and a tray that cannot be created, with a simulated Electron. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { MenuItemConstructorOptions } from 'electron'
import type { EventMessage } from '../../../src-preload/contract/routes.ts'

const played = vi.hoisted(() => ({
  overlays: [] as [image: string | null, description: string][],
  dockMenus: [] as (string | undefined)[][],
  badges: [] as number[],
  tooltips: [] as string[],
  hasTray: true,
}))

vi.mock('electron', async () => {
  const { EventEmitter: Emitter } = await import('node:events')
  class Tray extends Emitter {
    constructor() {
      super()
      if (!played.hasTray) throw new Error('Failed to create the tray icon')
    }
    setImage() {}
    setToolTip(text: string) {
      played.tooltips.push(text)
    }
    setContextMenu() {}
    destroy() {}
  }
  const window = {
    setOverlayIcon: (image: string | null, description: string) =>
      played.overlays.push([image, description]),
  }
  const app = Object.assign(new Emitter(), {
    setBadgeCount: (count: number) => played.badges.push(count),
    quit() {},
    dock: {
      setMenu: (menu: MenuItemConstructorOptions[]) =>
        played.dockMenus.push(menu.map(({ label }) => label)),
    },
  })
  return {
    app,
    BrowserWindow: { getAllWindows: () => [window] },
    clipboard: {},
    Menu: { buildFromTemplate: (template: unknown) => template },
    nativeImage: { createFromPath: (path: string) => path.split(/[\\/]/).at(-1) },
    Tray,
  }
})

const platform = process.platform
const setPlatform = (value: string) => Object.defineProperty(process, 'platform', { value })

let incidents: object[]
let failures: string[]
let send: (messages: EventMessage[]) => void

beforeEach(() => {
  Object.assign(played, { overlays: [], dockMenus: [], badges: [], tooltips: [], hasTray: true })
  failures = []
  incidents = [
    { id: 1, title: 'Deliveries to shop.test fail', snoozedUntil: null },
    { id: 2, title: 'A snoozed one', snoozedUntil: 9e15 },
  ]
})
afterEach(() => setPlatform(platform))

async function start() {
  // Another test in this process may have loaded the module with its own Electron.
  vi.resetModules()
  const { createTray } = await import('../../../src-main/desktop/tray.ts')
  const receiver = { status: 'listening', url: 'http://x', port: 80, problem: null, writable: true }
  const answers: Record<string, () => unknown> = {
    'receiver.state': () => receiver,
    'incident.list': () => ({ incidents }),
  }
  const tray = createTray({
    call: ((name: string) => Promise.resolve(answers[name]?.())) as never,
    events: { subscribe: (listener: typeof send) => (send = listener) } as never,
    show: () => undefined,
    log: { failure: (message: string) => failures.push(message) } as never,
  })
  tray.start()
  return tray
}

test('the Windows taskbar shows open incidents as an overlay, and removes the overlay after the last incident', async () => {
  setPlatform('win32')
  await start()
  await expect.poll(() => played.overlays.at(-1)).toEqual(['overlay.png', '1 open incident'])
  incidents = []
  send([{ name: 'incident.changed' } as unknown as EventMessage])
  await expect.poll(() => played.overlays.at(-1)).toEqual([null, ''])
  // Windows supports no badge with a number.
  expect(played.badges).toEqual([])
})

test("the macOS dock menu contains the state, the receiver and the incidents, without the system's own entries", async () => {
  setPlatform('darwin')
  await start()
  await expect
    .poll(() => played.dockMenus.at(-1))
    .toEqual([
      'Receiving on port 80, 1 open incident',
      'Copy receiver URL',
      'Pause receiving',
      undefined,
      'Deliveries to shop.test fail',
    ])
  expect(played.badges.at(-1)).toBe(1)
})

test('a tray that cannot be created is logged, is reported as not shown, and is created again later', async () => {
  setPlatform('win32')
  played.hasTray = false
  const tray = await start()
  expect(await tray.isShown()).toBe(false)
  expect(failures).toContain('The tray icon could not be created.')
  played.hasTray = true
  expect(await tray.isShown()).toBe(true)
  await expect.poll(() => played.tooltips.at(-1)).toMatch(/^Tondesk: Receiving on port 80/)
})
