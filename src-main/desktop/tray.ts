/**
 * The icon with its menu in the tray or menu bar, and other displays of the app's state outside its
 * windows.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  app,
  BrowserWindow,
  clipboard,
  Menu,
  type MenuItemConstructorOptions,
  nativeImage,
  Tray,
} from 'electron'
import type { Log } from '../app/log.ts'
import type { Call } from '../bridge/dispatch.ts'
import type { EventHub } from '../bridge/events.ts'
import type { Incident } from '../../src-preload/contract/incident.ts'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import { incidentHash } from '../../src-preload/domain/incident-links.ts'
import { countOf } from '../../src-preload/domain/time-span.ts'

export type AppTray = ReturnType<typeof createTray>

type TrayDeps = {
  readonly call: Call
  readonly events: EventHub
  /** Opens the window, on the page of `hash` if it is set. */
  readonly show: (hash?: string) => void
  readonly log: Log
}

type TrayStatus = 'receiving' | 'failing' | 'stopped'

type Facts = {
  readonly receiver: Pick<ReceiverState, 'status' | 'url' | 'port' | 'problem' | 'writable'>
  /** The open incidents that are not snoozed, the most severe first. */
  readonly incidents: readonly Incident[]
}

const maxListed = 5

export function trayStatus({ receiver, incidents }: Facts): TrayStatus {
  if (receiver.status === 'stopped') return 'stopped'
  const isWell = receiver.status === 'listening' && receiver.writable && incidents.length === 0
  return isWell ? 'receiving' : 'failing'
}

/** The text for the tooltip and the first line of the menu. */
export function describeStatus({ receiver, incidents }: Facts): string {
  const state =
    receiver.status === 'stopped'
      ? 'Receiving is paused'
      : receiver.port === null
        ? 'Not receiving'
        : `Receiving on port ${receiver.port}`
  return incidents.length === 0 ? state : `${state}, ${countOf(incidents.length, 'open incident')}`
}

const maxLabel = 70

/** Formats one line of a native menu, in which a single `&` marks a shortcut. */
export function menuLabel(text: string): string {
  const line = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  const short = line.length > maxLabel ? `${line.slice(0, maxLabel - 1).trimEnd()}…` : line
  return short.replaceAll('&', '&&')
}

type Actions = {
  readonly open: (hash?: string) => void
  readonly copyUrl: () => void
  readonly setReceiving: (isOn: boolean) => void
  readonly quit: () => void
}

/** The menu without Open and Quit, because the macOS dock adds these. */
export function stateMenu(facts: Facts, actions: Actions): MenuItemConstructorOptions[] {
  const { receiver, incidents } = facts
  const isOn = receiver.status !== 'stopped'
  const listed = incidents.slice(0, maxListed).map((incident) => ({
    label: menuLabel(incident.title),
    click: () => actions.open(incidentHash(incident)),
  }))
  return [
    { label: describeStatus(facts), enabled: false },
    { label: 'Copy receiver URL', enabled: receiver.url !== null, click: actions.copyUrl },
    {
      label: isOn ? 'Pause receiving' : 'Resume receiving',
      click: () => actions.setReceiving(!isOn),
    },
    { type: 'separator' },
    ...(listed.length === 0 ? [{ label: 'No open incidents', enabled: false }] : listed),
  ]
}

function trayMenu(facts: Facts, actions: Actions): MenuItemConstructorOptions[] {
  const [status = {}, ...rest] = stateMenu(facts, actions)
  return [
    status,
    { label: 'Open Tondesk', click: () => actions.open() },
    ...rest,
    { type: 'separator' },
    { label: 'Quit Tondesk', click: actions.quit },
  ]
}

const icons = fileURLToPath(new URL('./tray', import.meta.url))

/** macOS colors a template image itself; Linux panels scale one large image. */
const suffixes: Partial<Record<NodeJS.Platform, string>> = { darwin: 'Template', linux: '-large' }

const iconOf = (status: TrayStatus): string =>
  join(icons, `${status}${suffixes[process.platform] ?? ''}.png`)

/** Panels often start after the apps that start at login. */
const retriesMs = [5_000, 15_000, 30_000, 60_000] as const

export function createTray({ call, events, show, log }: TrayDeps) {
  let tray: Tray | null = null
  let hasHost = false
  let facts: Facts | null = null
  let isReading = false
  let isStale = false

  const attempt = (work: Promise<unknown>, what: string) =>
    void work.catch((error: unknown) => log.failure(what, error))

  const actions: Actions = {
    open: show,
    copyUrl: () => attempt(writeUrl(call), 'The receiver URL was not copied.'),
    setReceiving: (isOn) =>
      attempt(
        isOn ? call('receiver.start') : call('receiver.stop'),
        `Receiving was not ${isOn ? 'resumed' : 'paused'}.`,
      ),
    quit: () => app.quit(),
  }

  /**
   * Creates the icon, or creates it again for a panel that has started since. @returns whether the
   * icon is visible
   */
  async function place(): Promise<boolean> {
    const hadHost = hasHost
    hasHost = process.platform !== 'linux' || (await hasTrayHost())
    if (!hasHost || (tray !== null && hadHost)) return hasHost && tray !== null
    try {
      tray?.destroy()
      tray = null
      const created = new Tray(nativeImage.createFromPath(iconOf('receiving')))
      if (process.platform !== 'darwin') created.on('click', () => show())
      tray = created
      draw()
    } catch (error) {
      log.failure('The tray icon could not be created.', error)
    }
    return tray !== null
  }

  let placing: Promise<boolean> | null = null
  const placeOnce = () => (placing ??= place().finally(() => (placing = null)))

  function draw(): void {
    if (facts === null) return
    const count = facts.incidents.length
    if (process.platform === 'win32') drawOverlays(count)
    else app.setBadgeCount(count)
    app.dock?.setMenu(Menu.buildFromTemplate(stateMenu(facts, actions)))
    if (tray === null) return
    tray.setImage(nativeImage.createFromPath(iconOf(trayStatus(facts))))
    tray.setToolTip(`Tondesk: ${describeStatus(facts)}`)
    tray.setContextMenu(Menu.buildFromTemplate(trayMenu(facts, actions)))
  }

  async function update(): Promise<void> {
    isStale = true
    if (isReading) return
    isReading = true
    try {
      while (isStale) {
        isStale = false
        facts = await readFacts(call)
        draw()
      }
    } finally {
      isReading = false
    }
  }

  const updateSoon = () => attempt(update(), 'The tray icon was not updated.')
  events.subscribe((messages) => {
    const isConcerned = messages.some(
      ({ name }) => name === 'receiver.changed' || name === 'incident.changed',
    )
    if (isConcerned) updateSoon()
  })
  if (process.platform === 'win32') app.on('browser-window-created', draw)
  app.once('quit', () => tray?.destroy())

  return {
    copyUrl: actions.copyUrl,
    /** True if the user can see the icon now. */
    isShown: placeOnce,
    start(): void {
      updateSoon()
      const placeSoon = () => attempt(placeOnce(), 'The tray icon was not created.')
      placeSoon()
      for (const ms of retriesMs) setTimeout(() => hasHost || placeSoon(), ms).unref()
    },
  }
}

async function writeUrl(call: Call): Promise<void> {
  const { url } = await call('receiver.state')
  if (url !== null) await clipboard.writeText(url)
}

async function readFacts(call: Call): Promise<Facts> {
  const [receiver, { incidents }] = await Promise.all([
    call('receiver.state'),
    call('incident.list', { network: null, open: true, offset: 0, limit: 500 }),
  ])
  return { receiver, incidents: incidents.filter(({ snoozedUntil }) => snoozedUntil === null) }
}

function drawOverlays(count: number): void {
  const overlay = count > 0 ? nativeImage.createFromPath(join(icons, 'overlay.png')) : null
  for (const window of BrowserWindow.getAllWindows()) {
    window.setOverlayIcon(overlay, count > 0 ? countOf(count, 'open incident') : '')
  }
}

const timeoutMs = 10_000
const watcher = 'org.kde.StatusNotifierWatcher'
const property = 'IsStatusNotifierHostRegistered'
const getProperty = 'org.freedesktop.DBus.Properties.Get'

/** Programs that can query the session bus; most desktops have at least one of them. */
const queries: readonly (readonly [program: string, ...args: string[]])[] = [
  [
    'dbus-send',
    ...['--session', '--print-reply', `--reply-timeout=${timeoutMs}`, `--dest=${watcher}`],
    ...['/StatusNotifierWatcher', getProperty, `string:${watcher}`, `string:${property}`],
  ],
  [
    'gdbus',
    ...['call', '--session', '--dest', watcher, '--object-path', '/StatusNotifierWatcher'],
    ...['--method', getProperty, watcher, property],
  ],
  ['busctl', '--user', 'get-property', watcher, '/StatusNotifierWatcher', watcher, property],
]

/**
 * True if a panel of this Linux desktop shows tray icons. Electron does not report this: without a
 * panel, it creates an icon that is never visible. If no program can query the panel, the result is
 * false, because a window without an icon could not be reopened.
 */
async function hasTrayHost(): Promise<boolean> {
  const { DBUS_SESSION_BUS_ADDRESS: bus = '', XDG_RUNTIME_DIR: runtime = '' } = process.env
  // Without a session bus, these programs would start one.
  if (bus === '' && (runtime === '' || !existsSync(join(runtime, 'bus')))) return false
  for (const [program, ...args] of queries) {
    try {
      const { stdout } = await promisify(execFile)(program, args, { timeout: timeoutMs })
      return /\btrue\b/.test(stdout)
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (!isMissing) return false
    }
  }
  return false
}
