/** `powerMonitor`: a test emits its events; the computer itself never sleeps. */
import { EventEmitter } from 'node:events'

export const powerMonitor = new EventEmitter()
