import { lazyPart, registerFeature } from '../../app/features.tsx'

registerFeature({
  settings: [
    {
      id: 'alerts',
      title: 'Alerts',
      after: 'monitoring',
      words: 'telegram bot chat webhook command program incident notify destination',
      Section: lazyPart(async () => (await import('./alerts-section.tsx')).AlertsSection),
    },
  ],
})
