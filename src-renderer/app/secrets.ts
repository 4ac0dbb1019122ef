import { resourceOf } from './resource.ts'

export const secretsState = resourceOf('secrets.state')
export const webhookTokens = resourceOf('webhookToken.list')
