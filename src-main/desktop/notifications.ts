/**
 * Shows incidents as system notifications. A click opens the page with the cause, even after a
 * restart of the app: the id of a notification contains its incident, and Windows and macOS pass
 * the id with the click. On Linux a notification ends with the process that showed it.
 */
import { type ActivationArguments, app, Notification } from 'electron'
import { z } from 'zod'
import type { Notification as RaisedNotification } from '../../src-preload/contract/incident.ts'
import { incidentHash } from '../../src-preload/domain/incident-links.ts'
import type { Log } from '../app/log.ts'
import type { Call } from '../bridge/dispatch.ts'
import type { EventHub } from '../bridge/events.ts'
import { lookupTable } from '../../src-preload/domain/lookup-table.ts'

/**
 * Windows starts the app by this id when the user clicks a notification of an earlier run, so the
 * id never changes.
 */
const toastActivatorId = '{6E0F53C2-7A5B-4C1D-9C55-3B0D8F0A7E14}'

const explain = 'Explain'
const snooze = 'Snooze for 1 Hour'
const actionsOf = ({ isOver }: Pick<RaisedNotification, 'isOver'>) =>
  isOver ? [explain] : [explain, snooze]

const launchInfo = z.object({ identifier: z.string(), actionIdentifier: z.string() }).partial()
/** Set if macOS started the app because of a click. */
let launchedBy: string | null = null

/** Call this before the app is ready: macOS reports the click that started the app only with that event. */
export function noteLaunchNotification(): void {
  app.once('ready', (_event, info: unknown) => {
    launchedBy = launchInfo.safeParse(info).data?.identifier ?? null
  })
}

/**
 * Shows system notifications; a newer notification with the same id replaces the older one.
 * @param open shows the page of a hash in the window; without a hash the window keeps its page
 */
export function showNotifications({
  events,
  call,
  open,
  log,
}: {
  readonly events: EventHub
  readonly call: Call
  readonly open: (hash?: string) => void
  readonly log: Log
}): void {
  if (process.platform === 'win32') {
    app.setToastActivatorCLSID(toastActivatorId)
  }
  if (!Notification.isSupported()) return
  // A notification that is collected as garbage no longer reports clicks, so all are referenced here.
  const shown = new Map<string, { notification: Notification; raised: RaisedNotification | null }>()
  const networkNames = new Map<string, string>()

  /** @param raised null for a notification of an earlier run */
  async function openPage(id: string, raised: RaisedNotification | null): Promise<void> {
    const incident = incidentOf(id)
    const target =
      raised === null && incident !== null
        ? await call('incident.read', { id: incident }).catch(() => null)
        : raised
    open(target === null ? undefined : incidentHash(target))
  }

  function act(id: string, action: number | null, raised: RaisedNotification | null = null): void {
    const incident = incidentOf(id)
    // A closed incident cannot be snoozed any more and needs no action.
    const done =
      action === 1 && incident !== null
        ? call('incident.snooze', { id: incident, until: 'hour' })
        : openPage(id, raised)
    done.catch((error: unknown) => log.failure('A notification could not be followed.', error))
  }

  function watch(notification: Notification, id: string, raised: RaisedNotification | null): void {
    const forget = () => {
      if (shown.get(id)?.notification === notification) shown.delete(id)
    }
    notification.on('click', () => {
      forget()
      act(id, null, raised)
    })
    notification.on('action', ({ actionIndex }) => {
      forget()
      act(id, actionIndex, raised)
    })
    notification.on('close', forget)
    notification.on('failed', (_event, error) => {
      forget()
      log.write('warn', 'The system did not show a notification.', { error })
    })
    shown.set(id, { notification, raised })
  }

  function show(raised: RaisedNotification): void {
    const { id, network } = raised
    shown.get(id)?.notification.close()
    const group = { id: network ?? 'tondesk', title: networkNames.get(network ?? '') ?? 'Tondesk' }
    const notification = createNotification(raised, group)
    watch(notification, id, raised)
    notification.show()
  }

  events.subscribe((messages) => {
    for (const { name, payload } of messages) {
      if (name === 'network.changed') noteNames(payload.networks)
      if (name === 'notification.raised') show(payload)
    }
  })
  function noteNames(networks: readonly { readonly id: string; readonly name: string }[]): void {
    for (const { id, name } of networks) networkNames.set(id, name)
  }
  call('network.list').then(
    ({ networks }) => noteNames(networks),
    (error: unknown) => log.failure('The names of the networks could not be read.', error),
  )

  if (launchedBy !== null) act(launchedBy, null)
  launchedBy = null
  if (process.platform === 'win32') {
    Notification.handleActivation((details) => {
      const { id, action } = parseActivation(details)
      // Notifications of this run report their own events.
      if (id === null) open()
      else if (!shown.has(id)) act(id, action)
    })
  }
  if (process.platform === 'darwin') {
    Notification.getHistory()
      .then((earlier) => {
        for (const each of earlier) if (!shown.has(each.id)) watch(each, each.id, null)
      })
      .catch((error: unknown) => log.failure('Earlier notifications could not be read.', error))
  }
}

type NotificationGroup = { readonly id: string; readonly title: string }

function createNotification(raised: RaisedNotification, group: NotificationGroup): Notification {
  const { id, title, body } = raised
  return new Notification({
    id,
    title,
    body,
    groupId: group.id,
    groupTitle: group.title,
    actions: actionsOf(raised).map((text) => ({ type: 'button', text })),
    ...(process.platform === 'win32' && { toastXml: formatToast(raised, group) }),
  })
}

/** The incident in a notification's id; null for an id of another kind. */
function incidentOf(id: string): number | null {
  const number = /^incident\.(\d{1,15})$/.exec(id)?.[1]
  return number === undefined ? null : Number(number)
}

/** Parses the notification and the button that Windows reports as clicked. */
export function parseActivation({
  type,
  arguments: text,
  actionIndex,
}: Pick<ActivationArguments, 'type' | 'arguments' | 'actionIndex'>): {
  readonly id: string | null
  readonly action: number | null
} {
  const id = new URLSearchParams(text).get('tag')
  return { id, action: type === 'action' && actionIndex !== undefined ? actionIndex : null }
}

/**
 * Formats the notification as Windows' own XML. Electron's own XML omits the notification's id, so
 * that a click could not be handled after a restart.
 */
export function formatToast(
  raised: Pick<RaisedNotification, 'id' | 'title' | 'body' | 'isOver'>,
  group: NotificationGroup,
): string {
  const { id, title, body } = raised
  const click = `"type=click&amp;tag=${escapeXml(id)}"`
  const buttons = actionsOf(raised).map(
    (text, index) =>
      `<action activationType="foreground" content="${escapeXml(text)}" arguments="type=action&amp;action=${index}&amp;tag=${escapeXml(id)}"/>`,
  )
  return [
    `<toast activationType="foreground" launch=${click}>`,
    `<header id="${escapeXml(group.id)}" title="${escapeXml(group.title)}" arguments=${click}/>`,
    '<visual><binding template="ToastGeneric">',
    `<text>${escapeXml(title)}</text><text>${escapeXml(body)}</text>`,
    `</binding></visual><actions>${buttons.join('')}</actions></toast>`,
  ].join('')
}

const entities: Readonly<Record<string, string>> = lookupTable({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
})

/** Also replaces control characters and unpaired surrogates, which XML cannot contain. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? '')
