import { QRCodeSVG } from 'qrcode.react'
import { useRef } from 'react'
import { attempt } from '../../../app/attempt.ts'
import { saveBytes } from '../../../app/save-bytes.ts'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { printQrSvg, qrPng, quietModules } from './qr-file.ts'
import styles from './qr-code.module.css'

/** What a code of the largest size holds at this level of error correction, in bytes. */
const mostBytes = 2331

/**
 * A link to be read off the screen, and the ways to keep it as a picture. Dark on light in both
 * themes: many readers fail on the opposite.
 */
export function QrCode({
  text,
  title,
  name,
  size = 196,
}: {
  text: string
  /** For who cannot see it: "Payment link of invoice 60ffb0a1". */
  title: string
  /** Of its files, without their ending: "invoice-60ffb0a1". */
  name: string
  /** In pixels. */
  size?: number
}) {
  const picture = useRef<SVGSVGElement>(null)
  if (new TextEncoder().encode(text).length > mostBytes) {
    return <p className={styles['note']}>The link is too long for a QR code. Copy it instead.</p>
  }
  const save = async (ending: 'png' | 'svg') => {
    const drawn = picture.current
    if (drawn === null) return
    await attempt('Could not save the QR code', async () => {
      const bytes = ending === 'svg' ? printQrSvg(drawn, title) : await qrPng(drawn)
      saveBytes([bytes], `${name}.${ending}`)
      showToast({ title: `${name}.${ending} saved` })
    })
  }
  return (
    <figure className={styles['figure']}>
      <QRCodeSVG
        ref={picture}
        className={styles['code']}
        value={text}
        size={size}
        level="M"
        marginSize={quietModules}
        bgColor="#ffffff"
        fgColor="#000000"
        title={title}
      />
      <figcaption className={styles['saves']}>
        <Button icon="download" aria-label="PNG: save the QR code" onClick={() => void save('png')}>
          PNG
        </Button>
        <Button icon="download" aria-label="SVG: save the QR code" onClick={() => void save('svg')}>
          SVG
        </Button>
      </figcaption>
    </figure>
  )
}
