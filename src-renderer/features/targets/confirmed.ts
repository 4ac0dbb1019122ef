import { request } from '../../bridge.ts'
import { createResource } from '../../resource.ts'

/** Hosts that a person has said yes to. */
export const confirmedHosts = createResource(() => request('target.confirmed'))
