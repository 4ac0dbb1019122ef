/**
 * Tests notifications of an earlier run, which only Windows and macOS keep: a simulated Electron
 * passes them to the app.
 */
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { caller } from '../../../src-main/bridge/dispatch.ts'
import type { EventMessage } from '../../../src-preload/contract/routes.ts'
import {
  formatToast,
  noteLaunchNotification,
  parseActivation,
  showNotifications,
} from '../../../src-main/desktop/notifications.ts'
import { hideSecrets } from '../../../src-main/incidents/register.ts'
import { readSources } from '../../fixtures/inventory.ts'

type Activation = { type: string; arguments: string; actionIndex?: number }

const played = vi.hoisted(() => ({
  activate: null as ((details: object) => void) | null,
  history: [] as EventEmitter[],
  shown: [] as { id: string; groupId: string; toastXml?: string }[],
  app: null as EventEmitter | null,
}))

vi.mock('electron', async () => {
  const { EventEmitter: Emitter } = await import('node:events')
  class Notification extends Emitter {
    static isSupported = () => true
    static handleActivation(callback: (details: object) => void) {
      played.activate = callback
    }
    static getHistory = () => Promise.resolve(played.history)
    readonly options
    constructor(options: { id: string; groupId: string }) {
      super()
      this.options = options
    }
    show() {
      played.shown.push(this.options)
    }
    close() {}
  }
  const app = Object.assign(new Emitter(), {
    setAppUserModelId() {},
    setToastActivatorCLSID() {},
  })
  played.app = app
  return { Notification, app }
})

const platform = process.platform
const setPlatform = (value: string) => Object.defineProperty(process, 'platform', { value })

let asked: [name: string, input: unknown][]
let opened: (string | undefined)[]
let send: (messages: EventMessage[]) => void

beforeEach(() => {
  asked = []
  opened = []
  played.shown = []
  played.history = []
})
afterEach(() => setPlatform(platform))

function start(system: string): void {
  setPlatform(system)
  showNotifications({
    events: {
      subscribe(listener: (messages: EventMessage[]) => void) {
        send = listener
        return () => undefined
      },
    } as never,
    call: caller((name, input) => {
      asked.push([name, input])
      const incident = { network: 'mainnet', subject: 'webhook:12' }
      const networks = { networks: [{ id: 'mainnet', name: 'Mainnet' }] }
      const data = name === 'network.list' ? networks : incident
      return Promise.resolve({ ok: true, data })
    }),
    open: (hash) => opened.push(hash),
    log: { failure: (_message: string, error: unknown) => expect.fail(String(error)) } as never,
  })
}

const activate = (details: Activation) => played.activate?.(details)
const page = '#/webhooks/12/deliveries?network=mainnet'

// A click on a notification of an earlier run must not open the Overview, or nothing.
test("after a restart on Windows, a click on a notification opens the incident's page and a button snoozes the incident", async () => {
  start('win32')
  activate({ type: 'click', arguments: 'type=click&tag=incident.7' })
  await expect.poll(() => opened).toEqual([page])
  expect(asked).toContainEqual(['incident.read', { id: 7 }])
  activate({ type: 'action', arguments: 'type=action&action=1&tag=incident.7', actionIndex: 1 })
  expect(asked.at(-1)).toEqual(['incident.snooze', { id: 7, until: 'hour' }])
  activate({ type: 'action', arguments: 'type=action&action=0&tag=incident.7', actionIndex: 0 })
  await expect.poll(() => opened).toEqual([page, page])
  // An activation without an incident only shows the window.
  activate({ type: 'click', arguments: '' })
  activate({ type: 'click', arguments: 'tag=%3Cscript%3E&tag=incident.8' })
  await expect.poll(() => opened).toEqual([page, page, undefined, undefined])
})

test('a notification of an earlier run on macOS opens its page, even if it starts the app', async () => {
  const earlier = Object.assign(new EventEmitter(), { id: 'incident.7' })
  played.history = [earlier]
  noteLaunchNotification()
  const launch = { identifier: 'incident.9', actionIdentifier: 'x', userInfo: {} }
  played.app?.emit('ready', {}, launch)
  start('darwin')
  await expect.poll(() => opened).toEqual([page])
  expect(asked).toContainEqual(['incident.read', { id: 9 }])
  await expect.poll(() => earlier.listenerCount('click')).toBe(1)
  earlier.emit('click', {})
  await expect.poll(() => opened).toEqual([page, page])
})

test('notifications are grouped by network, and the XML for Windows names the incident', async () => {
  start('win32')
  // The reply with the names of the networks arrives meanwhile.
  await new Promise(setImmediate)
  const raised = { id: 'incident.7', network: 'mainnet', subject: 'webhook:12', isOver: false }
  send([
    { name: 'notification.raised', payload: { ...raised, title: 'a <b> & "c"', body: '\u0007' } },
  ])
  expect(played.shown).toMatchObject([{ id: 'incident.7', groupId: 'mainnet' }])
  const xml = played.shown[0]?.toastXml ?? ''
  expect(xml).toContain('launch="type=click&amp;tag=incident.7"')
  expect(xml).toContain('<header id="mainnet" title="Mainnet"')
  expect(xml).toContain('<text>a &lt;b&gt; &amp; &quot;c&quot;</text><text>\ufffd</text>')
})

test('an activation on Windows is parsed back to the incident and the button', () => {
  const of = { id: 'incident.12', title: '', body: '', isOver: false }
  const xml = formatToast(of, { id: 'tondesk', title: 'Tondesk' }).replaceAll('&amp;', '&')
  const [click = '', , explain = '', snooze = ''] = [
    ...xml.matchAll(/(?:launch|arguments)="([^"]+)"/g),
  ].map(([, text]) => text)
  const parse = (type: string, text: string, actionIndex?: number) =>
    parseActivation({ type, arguments: text, ...(actionIndex !== undefined && { actionIndex }) })
  expect(parse('click', click)).toEqual({ id: 'incident.12', action: null })
  expect(parse('action', explain, 0)).toEqual({ id: 'incident.12', action: 0 })
  expect(parse('action', snooze, 1)).toEqual({ id: 'incident.12', action: 1 })
  expect(formatToast({ ...of, isOver: true }, { id: 'x', title: 'x' })).not.toContain('action=1')
})

// A lock screen must not show a token to everyone.
test.each([
  ['Deliveries to https://me:c4n4ry@shop.example/in fail', 'https://shop.example fail'],
  ['Could not reach https://hooks.example/services/T0/c4n4ry.', 'https://hooks.example.'],
  ['GET /v1/events?token=c4n4ry&limit=5 failed', 'token='],
  ['401 for Authorization: Bearer c4n4ry', 'Bearer ***'],
  ['POST http://127.0.0.1:4801/hook/c4n4ry responded with 503', 'http://127.0.0.1:4801 responded'],
  ['/hook/c4n4ry is unknown', '/hook/***'],
  ['“https://x.example/?api_key=c4n4ry” is wrong', '“https://x.example” is wrong'],
])('a notification contains no secret: %s', (text, kept) => {
  expect(hideSecrets(text)).toContain(kept)
  expect(hideSecrets(text)).not.toContain('c4n4ry')
})

// A notification from another source would also be shown in quiet hours.
test('all notifications come from the incidents, which observe quiet hours', () => {
  const sources = [...readSources('src-main/**/*.ts')].map(
    ([file, text]) => [file.replaceAll('\\', '/'), text] as const,
  )
  const using = (words: string) =>
    sources.filter(([, text]) => text.includes(words)).map(([file]) => file)
  expect(using('new Notification(')).toEqual(['src-main/desktop/notifications.ts'])
  expect(using("emit('notification.raised'")).toEqual(['src-main/incidents/register.ts'])
})
