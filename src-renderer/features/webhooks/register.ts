import { lazy } from 'react'
import { registerFeature } from '../../app/features.tsx'

const MoveDialog = lazy(async () => ({
  default: (await import('./move/move-dialog.tsx')).MoveDialog,
}))

registerFeature({ dialogs: { moveWebhook: MoveDialog } })
