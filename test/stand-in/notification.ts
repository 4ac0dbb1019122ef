/** `Notification`: recorded, and clicked by the test. */
import { EventEmitter } from 'node:events'
import type { Notification as Electron, NotificationConstructorOptions } from 'electron'
import { createEvent } from './event.ts'
import { recorded } from './report.ts'

type Played = Pick<Electron, 'show' | 'close' | 'title' | 'body'>

const shown: StandInNotification[] = []

class StandInNotification extends EventEmitter implements Played {
  static isSupported(): boolean {
    return true
  }

  title: string
  body: string

  constructor({ title = '', body = '' }: NotificationConstructorOptions = {}) {
    super()
    this.title = title
    this.body = body
  }

  show(): void {
    shown.push(this)
    recorded.notifications.push({ title: this.title, body: this.body })
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

export function clickNotification(): void {
  const newest = shown.pop()
  if (!newest) throw new Error('No notification is shown.')
  newest.emit('click', createEvent({}))
}
