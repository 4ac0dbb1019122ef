/** The section of reports in the settings: their heading, and scheduled reconciliations. */
import { useState } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'
import type { Settings } from '../../../src-preload/contract/settings.ts'
import { currencyName } from '../../../src-preload/domain/amount.ts'
import { invoiceCurrencies } from '../../../src-preload/domain/invoice-values.ts'
import { fiatCurrencies } from '../../../src-preload/domain/fiat.ts'
import { changeSettings } from '../../app/app-settings.ts'
import { attempt, request, useData } from '../../app/bridge.ts'
import { useFormProblem } from '../../app/use-form.ts'
import { ReportHead, useMerchantName } from '../../components/files/report-head.tsx'
import {
  SavedChoice,
  SavedSelect,
  SavedText,
  SettingsSection,
  saverOf,
} from '../../components/settings.tsx'
import { ActionButton } from '../../ui/button.tsx'
import { Problem, Row, Stack, Text } from '../../ui/layout.tsx'
import { exportFormats } from './export/export-choice.ts'
import { ownZone } from './zone.tsx'

const save = saverOf('reports')

const schedules = [
  { value: 'off', label: 'Off' },
  { value: 'day', label: 'Every day' },
  { value: 'week', label: 'Every week, from Monday to Sunday' },
  { value: 'month', label: 'Every month' },
] as const

const fiatOptions = [
  { value: 'none', label: 'None' } as const,
  ...fiatCurrencies.map((value) => ({ value, label: value })),
]

export function ReportsSection({ settings: { invoices, reports } }: { settings: Settings }) {
  const merchant = useMerchantName()
  const state = useData('network.list').data
  const network = state?.networks.find(({ id }) => id === state.current)
  const { reconcileEvery, reconcileFolder } = reports
  return (
    <SettingsSection
      id="reports"
      detail="The head of PDF reports and Excel workbooks, values of payments, and reconciliations that Tondesk saves automatically."
    >
      <ReportHead merchant={merchant} />
      <SavedSelect
        label="Fiat currency"
        hint="Payments and exports show what each payment was worth when it arrived. Tondesk requests the rates from the gateway of the network."
        value={reports.fiatCurrency ?? 'none'}
        options={fiatOptions}
        save={(next) => save('fiatCurrency', next === 'none' ? null : next)}
      />
      {network !== undefined && <Tolerances network={network} {...invoices} />}
      <SavedChoice
        label="Scheduled reconciliation"
        value={reconcileEvery}
        options={schedules}
        save={(next) =>
          changeSettings({
            reports: {
              reconcileEvery: next,
              ...(reconcileFolder === null && {
                reconcileZone: ownZone(),
                ...(state !== undefined && { reconcileNetwork: state.current }),
              }),
            },
          })
        }
      />
      {reconcileEvery !== 'off' && (
        <>
          <SavedText
            label="Folder"
            mono
            placeholder="/home/ada/books"
            hint="The full path of an existing folder on this computer. Tondesk saves one file for each period, with its manifest, as soon as the chain is synced past the end of the period."
            value={reconcileFolder ?? ''}
            save={(text) => save('reconcileFolder', text.trim() === '' ? null : text.trim())}
          />
          <ChooseFolder />
          <SavedChoice
            label="Network"
            value={reports.reconcileNetwork}
            options={(state?.networks ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            save={(next) => save('reconcileNetwork', next)}
          />
          <SavedChoice
            label="Format"
            value={reports.reconcileFormat}
            options={exportFormats.map(({ value, label }) => ({ value, label }))}
            save={(next) => save('reconcileFormat', next)}
          />
          <SavedText
            label="Time zone"
            hint="Days, weeks and months begin at midnight of this zone."
            value={reports.reconcileZone}
            save={(text) => save('reconcileZone', text.trim())}
          />
          <SaveNow />
        </>
      )}
    </SettingsSection>
  )
}

const toleranceHint =
  'An invoice whose payments in time lack no more than this counts as paid, whatever the gateway reports. This applies to payments that arrive from now on, and not to invoices of this amount or less. Empty: off.'

type ToleranceProps = { network: Network; tolerances: Settings['invoices']['tolerances'] }

function Tolerances({ network: { id, name }, tolerances }: ToleranceProps) {
  const own = tolerances[id] ?? {}
  return invoiceCurrencies.map((currency) => (
    <SavedText
      key={currency}
      label={`Accept payments in ${currencyName(currency)} on ${name} short by at most`}
      mono
      short
      placeholder="off"
      hint={currency === 'TON' ? toleranceHint : undefined}
      suffix={currencyName(currency)}
      value={own[currency] ?? ''}
      save={(text) => {
        const next = { ...own, [currency]: text.trim() || undefined }
        return changeSettings({ invoices: { tolerances: { ...tolerances, [id]: next } } })
      }}
    />
  ))
}

/** Chooses a folder. Only the desktop app can open the system's dialog. */
function ChooseFolder() {
  const host = useData('app.info').data?.host
  if (host !== 'electron') return null
  const choose = () =>
    attempt('Could not choose a folder', async () => {
      const { folder } = await request('report.chooseFolder')
      if (folder !== null) await save('reconcileFolder', folder)
    })
  return (
    <Row>
      <ActionButton action={choose}>Choose folder…</ActionButton>
    </Row>
  )
}

function SaveNow() {
  const [file, setFile] = useState<string | null>(null)
  const { problem, run } = useFormProblem()
  const saveNow = () =>
    run(async () => {
      setFile(null)
      setFile((await request('report.saveNow')).file)
    })
  return (
    <Stack gap="xs">
      <ActionButton action={saveNow}>Save the last period now</ActionButton>
      {file !== null && (
        <Text as="p" size="s" over="break" role="status">
          Saved as {file}.
        </Text>
      )}
      <Problem>{problem}</Problem>
    </Stack>
  )
}
