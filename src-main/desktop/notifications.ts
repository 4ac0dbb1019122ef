/** What the app has to tell while nobody looks at it: by the system, where it can. */
import { app, Notification } from 'electron'
import type { Notification as Told } from '../../src-preload/contract/failure.ts'
import type { EventHub } from '../bridge/events.ts'
import type { Log } from '../app/log.ts'

type NotificationOptions = {
  readonly events: EventHub
  /** Brings the window to the page of what was clicked. */
  readonly open: (told: Told) => void
  readonly log: Log
}

/** As the installer gives it to the Start menu: Windows shows notifications of those it finds there. */
const applicationId = 'org.tondesk.Tondesk'

/** The newest of one matter replaces the one before. Returns the way to stop. */
export function showNotifications({ events, open, log }: NotificationOptions): () => void {
  if (!Notification.isSupported()) return () => undefined
  if (process.platform === 'win32') app.setAppUserModelId(applicationId)
  // Held: a notification that is collected as garbage is not there to be clicked.
  const shown = new Map<string, Notification>()

  function show(told: Told): void {
    shown.get(told.id)?.close()
    const notification = new Notification({ title: told.title, body: told.body })
    const forget = () => {
      if (shown.get(told.id) === notification) shown.delete(told.id)
    }
    notification.on('click', () => {
      forget()
      open(told)
    })
    notification.on('close', forget)
    notification.on('failed', (_event, error) => {
      forget()
      log.write('warn', 'The system did not show a notification.', { error })
    })
    shown.set(told.id, notification)
    notification.show()
  }

  return events.subscribe((messages) => {
    for (const message of messages) {
      if (message.name === 'notification.raised') show(message.payload)
    }
  })
}
