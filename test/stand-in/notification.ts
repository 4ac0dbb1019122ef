/** Plays Electron's `Notification`: notifications are recorded, and clicked by the test. */
import { EventEmitter } from 'node:events'
import { randomUUID } from 'node:crypto'
import type {
  Notification as Electron,
  NotificationAction,
  NotificationConstructorOptions,
} from 'electron'
import { createEvent } from './event.ts'
import { recordedActions } from './report.ts'

type Played = Pick<Electron, 'show' | 'close' | 'id' | 'groupId' | 'title' | 'body' | 'actions'>

const shown: StandInNotification[] = []

class StandInNotification extends EventEmitter implements Played {
  static isSupported(): boolean {
    return process.env['STAND_IN_NOTIFICATIONS'] !== '0'
  }

  readonly id: string
  readonly groupId: string
  title: string
  body: string
  actions: NotificationAction[]

  constructor(options: NotificationConstructorOptions = {}) {
    super()
    const { id = randomUUID(), groupId = '', title = '', body = '', actions = [] } = options
    this.id = id
    this.groupId = groupId
    this.title = title
    this.body = body
    this.actions = actions
  }

  show(): void {
    shown.push(this)
    const { id, groupId, title, body, actions } = this
    const texts = actions.map(({ text = '' }) => text)
    recordedActions.notifications.push({ id, groupId, title, body, actions: texts })
    this.emit('show', createEvent({}))
  }

  close(): void {
    const index = shown.indexOf(this)
    if (index < 0) return
    shown.splice(index, 1)
    this.emit('close', createEvent({}))
  }
}

export { StandInNotification as Notification }

/** @param action the index of a button; null for the notification itself */
export function clickNotification(action: number | null): void {
  const newest = shown.pop()
  if (!newest) throw new Error('No notification is shown.')
  if (action === null) newest.emit('click', createEvent({}))
  else newest.emit('action', createEvent({ actionIndex: action, selectionIndex: -1 }), action, -1)
}
