/**
 * The parts of this feature that exist on every page. Its section of the settings is loaded when it
 * is first shown.
 */
import { lazy } from 'react'
import { registerFeature } from '../../app/features.tsx'

const ReportsSection = lazy(async () => ({
  default: (await import('./reports-section.tsx')).ReportsSection,
}))

registerFeature({
  Jobs: lazy(async () => ({ default: (await import('./jobs/jobs-view.tsx')).Jobs })),
  settings: [
    {
      id: 'reports',
      title: 'Reports',
      after: 'retention',
      words: 'merchant logo pdf excel reconciliation schedule folder fiat currency rate value',
      Section: ReportsSection,
    },
  ],
})
