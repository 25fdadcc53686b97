/** A bank that shoppers can pay with by net banking. */
export interface Bank {
  /** The first four letters of the bank's IFSC (Indian Financial System Code). */
  readonly code: string
  readonly name: { readonly en: string; readonly hi: string }
  /** `popular` ones are listed first. A `test` bank is a test instrument of the sandbox, not a real bank. */
  readonly group: 'popular' | 'all' | 'test'
}

type Row = readonly [code: string, en: string, hi: string]

/**
 * A code is the common start of all IFSCs of a bank. Source: Reserve Bank of India, list of NEFT-enabled bank branches,
 * bank-wise IFS codes (https://rbidocs.rbi.org.in/rdocs/content/docs/68774.xlsx). Banks merged into others are left out.
 */
const POPULAR_BANKS: readonly Row[] = [
  ['SBIN', 'State Bank of India', 'भारतीय स्टेट बैंक'],
  ['HDFC', 'HDFC Bank', 'एचडीएफ़सी बैंक'],
  ['ICIC', 'ICICI Bank', 'आईसीआईसीआई बैंक'],
  ['UTIB', 'Axis Bank', 'एक्सिस बैंक'],
  ['KKBK', 'Kotak Mahindra Bank', 'कोटक महिंद्रा बैंक'],
  ['PUNB', 'Punjab National Bank', 'पंजाब नैशनल बैंक'],
  ['BARB', 'Bank of Baroda', 'बैंक ऑफ़ बड़ौदा'],
  ['CNRB', 'Canara Bank', 'केनरा बैंक'],
]

const OTHER_BANKS: readonly Row[] = [
  ['ABHY', 'Abhyudaya Co-operative Bank', 'अभ्युदय को-ऑपरेटिव बैंक'],
  ['AIRP', 'Airtel Payments Bank', 'एयरटेल पेमेंट्स बैंक'],
  ['AUBL', 'AU Small Finance Bank', 'एयू स्मॉल फ़ाइनेंस बैंक'],
  ['BDBL', 'Bandhan Bank', 'बंधन बैंक'],
  ['BKID', 'Bank of India', 'बैंक ऑफ़ इंडिया'],
  ['MAHB', 'Bank of Maharashtra', 'बैंक ऑफ़ महाराष्ट्र'],
  ['BACB', 'Bassein Catholic Co-operative Bank', 'बैसीन कैथलिक को-ऑपरेटिव बैंक'],
  ['BCBM', 'Bharat Co-operative Bank', 'भारत को-ऑपरेटिव बैंक'],
  ['CLBL', 'Capital Small Finance Bank', 'कैपिटल स्मॉल फ़ाइनेंस बैंक'],
  ['CBIN', 'Central Bank of India', 'सेंट्रल बैंक ऑफ़ इंडिया'],
  ['CIUB', 'City Union Bank', 'सिटी यूनियन बैंक'],
  ['COSB', 'Cosmos Co-operative Bank', 'कॉसमॉस को-ऑपरेटिव बैंक'],
  ['CSBK', 'CSB Bank', 'सीएसबी बैंक'],
  ['DBSS', 'DBS Bank India', 'डीबीएस बैंक इंडिया'],
  ['DCBL', 'DCB Bank', 'डीसीबी बैंक'],
  ['DEUT', 'Deutsche Bank', 'डॉयचे बैंक'],
  ['DLXB', 'Dhanlaxmi Bank', 'धनलक्ष्मी बैंक'],
  ['DNSB', 'Dombivli Nagari Sahakari Bank', 'डोंबिवली नागरी सहकारी बैंक'],
  ['ESFB', 'Equitas Small Finance Bank', 'इक्विटास स्मॉल फ़ाइनेंस बैंक'],
  ['ESMF', 'ESAF Small Finance Bank', 'ईएसएएफ़ स्मॉल फ़ाइनेंस बैंक'],
  ['FDRL', 'Federal Bank', 'फ़ेडरल बैंक'],
  ['HSBC', 'HSBC India', 'एचएसबीसी इंडिया'],
  ['IBKL', 'IDBI Bank', 'आईडीबीआई बैंक'],
  ['IDFB', 'IDFC FIRST Bank', 'आईडीएफ़सी फ़र्स्ट बैंक'],
  ['IDIB', 'Indian Bank', 'इंडियन बैंक'],
  ['IOBA', 'Indian Overseas Bank', 'इंडियन ओवरसीज़ बैंक'],
  ['INDB', 'IndusInd Bank', 'इंडसइंड बैंक'],
  ['JAKA', 'Jammu and Kashmir Bank', 'जम्मू एंड कश्मीर बैंक'],
  ['JSFB', 'Jana Small Finance Bank', 'जना स्मॉल फ़ाइनेंस बैंक'],
  ['JSBP', 'Janata Sahakari Bank, Pune', 'जनता सहकारी बैंक, पुणे'],
  ['KJSB', 'Kalyan Janata Sahakari Bank', 'कल्याण जनता सहकारी बैंक'],
  ['KARB', 'Karnataka Bank', 'कर्नाटक बैंक'],
  ['KVBL', 'Karur Vysya Bank', 'करूर वैश्य बैंक'],
  ['MSNU', 'Mehsana Urban Co-operative Bank', 'मेहसाणा अर्बन को-ऑपरेटिव बैंक'],
  ['NTBL', 'Nainital Bank', 'नैनीताल बैंक'],
  ['NKGS', 'NKGSB Co-operative Bank', 'एनकेजीएसबी को-ऑपरेटिव बैंक'],
  ['PSIB', 'Punjab & Sind Bank', 'पंजाब एंड सिंध बैंक'],
  ['RNSB', 'Rajkot Nagarik Sahakari Bank', 'राजकोट नागरिक सहकारी बैंक'],
  ['RATN', 'RBL Bank', 'आरबीएल बैंक'],
  ['SRCB', 'Saraswat Co-operative Bank', 'सारस्वत को-ऑपरेटिव बैंक'],
  ['SMCB', 'Shivalik Small Finance Bank', 'शिवालिक स्मॉल फ़ाइनेंस बैंक'],
  ['SIBL', 'South Indian Bank', 'साउथ इंडियन बैंक'],
  ['SCBL', 'Standard Chartered Bank', 'स्टैंडर्ड चार्टर्ड बैंक'],
  ['SURY', 'Suryoday Small Finance Bank', 'सूर्योदय स्मॉल फ़ाइनेंस बैंक'],
  ['SVCB', 'SVC Co-operative Bank', 'एसवीसी को-ऑपरेटिव बैंक'],
  ['TNSC', 'Tamil Nadu State Apex Co-operative Bank', 'तमिलनाडु स्टेट एपेक्स को-ऑपरेटिव बैंक'],
  ['TMBL', 'Tamilnad Mercantile Bank', 'तमिलनाड मर्केंटाइल बैंक'],
  ['TJSB', 'TJSB Sahakari Bank', 'टीजेएसबी सहकारी बैंक'],
  ['UCBA', 'UCO Bank', 'यूको बैंक'],
  ['UJVN', 'Ujjivan Small Finance Bank', 'उज्जीवन स्मॉल फ़ाइनेंस बैंक'],
  ['UBIN', 'Union Bank of India', 'यूनियन बैंक ऑफ़ इंडिया'],
  ['UNBA', 'Unity Small Finance Bank', 'यूनिटी स्मॉल फ़ाइनेंस बैंक'],
  ['UTKS', 'Utkarsh Small Finance Bank', 'उत्कर्ष स्मॉल फ़ाइनेंस बैंक'],
  ['VARA', 'Varachha Co-operative Bank', 'वराछा को-ऑपरेटिव बैंक'],
  ['YESB', 'Yes Bank', 'यस बैंक'],
]

/** The simulator's test banks (docs/sandbox.md says what each does). The Reserve Bank has allotted none of these codes. */
const TEST_BANKS: readonly Row[] = [
  ['PASS', 'Test bank: succeeds at once', 'टेस्ट बैंक: तुरंत सफल'],
  ['FAIL', 'Test bank: declines at once', 'टेस्ट बैंक: तुरंत अस्वीकार'],
  ['SLOW', 'Test bank: succeeds after a while', 'टेस्ट बैंक: कुछ देर बाद सफल'],
  ['TIME', 'Test bank: its page times out', 'टेस्ट बैंक: पेज का समय समाप्त'],
  ['HANG', 'Test bank: never answers', 'टेस्ट बैंक: कोई उत्तर नहीं'],
  ['DOWN', 'Test bank: is down', 'टेस्ट बैंक: बंद है'],
  ['LOST', 'Test bank: its first answer is lost', 'टेस्ट बैंक: पहला उत्तर खो जाता है'],
]

const banks = (rows: readonly Row[], group: Bank['group']): Bank[] =>
  rows.map(([code, en, hi]) => ({ code, name: { en, hi }, group }))
const BANKS: readonly Bank[] = [...banks(POPULAR_BANKS, 'popular'), ...banks(OTHER_BANKS, 'all')]
const SANDBOX_BANKS: readonly Bank[] = [...BANKS, ...banks(TEST_BANKS, 'test')]

/** Popular banks first, the others by name. In the sandbox the test banks follow. */
export function banksIn(environment: 'sandbox' | 'production'): readonly Bank[] {
  return environment === 'sandbox' ? SANDBOX_BANKS : BANKS
}
