/** The merchant's name and logo at the top of reports. */
import { useState } from 'react'
import { changeSettings } from '../../app/app-settings.ts'
import { put, request, toAppError, useData } from '../../app/bridge.ts'
import { useFormProblem } from '../../app/use-form.ts'
import { AppError, bridgeCodes } from '../../../src-preload/domain/app-error.ts'
import type { InputFile } from '../../app/input-file.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextField } from '../../ui/form.tsx'
import { Problem, Row, Stack } from '../../ui/layout.tsx'
import { OpenFileButton } from './drop-zone.tsx'
import { readBase64 } from './read-file.ts'
import styles from './report-head.module.css'

/** The name is saved when the field loses the focus; `save` saves it earlier, for example before an export. */
export function useMerchantName() {
  const stored = useData('settings.get').data?.reports.merchantName
  const [typed, type] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  async function save(): Promise<void> {
    setProblem(null)
    if (typed === null || typed.trim() === stored) return
    try {
      await changeSettings({ reports: { merchantName: typed } })
      type(null)
    } catch (error) {
      setProblem(toAppError(error).message)
      throw error
    }
  }
  return { name: typed ?? stored ?? '', problem, type, save }
}

export function ReportHead({
  merchant: { name, problem, type, save },
}: {
  merchant: ReturnType<typeof useMerchantName>
}) {
  return (
    <Row wrap align="start">
      <TextField
        label="Merchant name"
        hint="Shown at the head of PDF reports and Excel workbooks."
        maxLength={100}
        value={name}
        error={problem ?? undefined}
        onChange={type}
        onBlur={() => void save().catch(() => undefined)}
      />
      <Logo />
    </Row>
  )
}

const maxBytes = 512 * 1024

function Logo() {
  const { data: logo, error, refetch } = useData('report.logo')
  const { problem, run: change } = useFormProblem()
  const choose = ({ name, blob }: InputFile) =>
    change(async () => {
      if (blob.size > maxBytes) {
        const message = `“${name}” is larger than 512 KiB. Choose a smaller picture.`
        throw new AppError(bridgeCodes.invalidInput, message)
      }
      put(
        'report.logo',
        undefined,
        await request('report.setLogo', { base64: await readBase64(blob, 0, blob.size) }),
      )
    })
  const remove = () =>
    change(async () => {
      await request('report.removeLogo')
      put('report.logo', undefined, null)
      if (error !== null) await refetch()
    })
  const hasLogo = (logo !== undefined && logo !== null) || error !== null
  return (
    <Field label="Logo" hint="PNG or JPEG, up to 512 KiB. Shown in PDF reports.">
      <Stack gap="s">
        {logo !== undefined && logo !== null && (
          <img
            className={styles['logo']}
            src={`data:${logo.type};base64,${logo.base64}`}
            alt="Logo"
          />
        )}
        <Row wrap>
          <OpenFileButton
            label={hasLogo ? 'Replace the logo…' : 'Choose a logo…'}
            purpose="report"
            accept=".png,.jpg,.jpeg"
            onFile={(file) => void choose(file)}
          />
          {hasLogo && <Button onClick={() => void remove()}>Remove the logo</Button>}
        </Row>
        <Problem>{problem ?? error?.message}</Problem>
      </Stack>
    </Field>
  )
}
