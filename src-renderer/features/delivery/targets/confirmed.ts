import { request } from '../../../app/bridge.ts'
import { createResource } from '../../../app/resource.ts'

/** Hosts that a person has said yes to. */
export const confirmedHosts = createResource(() => request('target.confirmed'))
