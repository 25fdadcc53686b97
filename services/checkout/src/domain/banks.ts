/** A bank that shoppers can pay with by net banking. */
export interface Bank {
  /** The first four letters of the bank's IFSC (Indian Financial System Code). */
  readonly code: string
  readonly name: { readonly en: string; readonly hi: string }
  /** Listed first. */
  readonly popular: boolean
  /** A test instrument of the sandbox, not a real bank. */
  readonly test: boolean
}

const bank = (code: string, en: string, hi: string, popular = false): Bank => ({ code, name: { en, hi }, popular, test: false })
const popular = (code: string, en: string, hi: string): Bank => bank(code, en, hi, true)
const testBank = (code: string, en: string, hi: string): Bank => ({ code, name: { en, hi }, popular: false, test: true })

/**
 * A code is the common start of all IFSCs of a bank. Source: Reserve Bank of India, list of NEFT-enabled bank branches,
 * bank-wise IFS codes (https://rbidocs.rbi.org.in/rdocs/content/docs/68774.xlsx). Banks merged into others are left out.
 */
const POPULAR_BANKS: readonly Bank[] = [
  popular('SBIN', 'State Bank of India', 'भारतीय स्टेट बैंक'),
  popular('HDFC', 'HDFC Bank', 'एचडीएफ़सी बैंक'),
  popular('ICIC', 'ICICI Bank', 'आईसीआईसीआई बैंक'),
  popular('UTIB', 'Axis Bank', 'एक्सिस बैंक'),
  popular('KKBK', 'Kotak Mahindra Bank', 'कोटक महिंद्रा बैंक'),
  popular('PUNB', 'Punjab National Bank', 'पंजाब नैशनल बैंक'),
  popular('BARB', 'Bank of Baroda', 'बैंक ऑफ़ बड़ौदा'),
  popular('CNRB', 'Canara Bank', 'केनरा बैंक'),
]

const OTHER_BANKS: readonly Bank[] = [
  bank('ABHY', 'Abhyudaya Co-operative Bank', 'अभ्युदय को-ऑपरेटिव बैंक'),
  bank('AIRP', 'Airtel Payments Bank', 'एयरटेल पेमेंट्स बैंक'),
  bank('AUBL', 'AU Small Finance Bank', 'एयू स्मॉल फ़ाइनेंस बैंक'),
  bank('BDBL', 'Bandhan Bank', 'बंधन बैंक'),
  bank('BKID', 'Bank of India', 'बैंक ऑफ़ इंडिया'),
  bank('MAHB', 'Bank of Maharashtra', 'बैंक ऑफ़ महाराष्ट्र'),
  bank('BACB', 'Bassein Catholic Co-operative Bank', 'बैसीन कैथलिक को-ऑपरेटिव बैंक'),
  bank('BCBM', 'Bharat Co-operative Bank', 'भारत को-ऑपरेटिव बैंक'),
  bank('CLBL', 'Capital Small Finance Bank', 'कैपिटल स्मॉल फ़ाइनेंस बैंक'),
  bank('CBIN', 'Central Bank of India', 'सेंट्रल बैंक ऑफ़ इंडिया'),
  bank('CIUB', 'City Union Bank', 'सिटी यूनियन बैंक'),
  bank('COSB', 'Cosmos Co-operative Bank', 'कॉसमॉस को-ऑपरेटिव बैंक'),
  bank('CSBK', 'CSB Bank', 'सीएसबी बैंक'),
  bank('DBSS', 'DBS Bank India', 'डीबीएस बैंक इंडिया'),
  bank('DCBL', 'DCB Bank', 'डीसीबी बैंक'),
  bank('DEUT', 'Deutsche Bank', 'डॉयचे बैंक'),
  bank('DLXB', 'Dhanlaxmi Bank', 'धनलक्ष्मी बैंक'),
  bank('DNSB', 'Dombivli Nagari Sahakari Bank', 'डोंबिवली नागरी सहकारी बैंक'),
  bank('ESFB', 'Equitas Small Finance Bank', 'इक्विटास स्मॉल फ़ाइनेंस बैंक'),
  bank('ESMF', 'ESAF Small Finance Bank', 'ईएसएएफ़ स्मॉल फ़ाइनेंस बैंक'),
  bank('FDRL', 'Federal Bank', 'फ़ेडरल बैंक'),
  bank('HSBC', 'HSBC India', 'एचएसबीसी इंडिया'),
  bank('IBKL', 'IDBI Bank', 'आईडीबीआई बैंक'),
  bank('IDFB', 'IDFC FIRST Bank', 'आईडीएफ़सी फ़र्स्ट बैंक'),
  bank('IDIB', 'Indian Bank', 'इंडियन बैंक'),
  bank('IOBA', 'Indian Overseas Bank', 'इंडियन ओवरसीज़ बैंक'),
  bank('INDB', 'IndusInd Bank', 'इंडसइंड बैंक'),
  bank('JAKA', 'Jammu and Kashmir Bank', 'जम्मू एंड कश्मीर बैंक'),
  bank('JSFB', 'Jana Small Finance Bank', 'जना स्मॉल फ़ाइनेंस बैंक'),
  bank('JSBP', 'Janata Sahakari Bank, Pune', 'जनता सहकारी बैंक, पुणे'),
  bank('KJSB', 'Kalyan Janata Sahakari Bank', 'कल्याण जनता सहकारी बैंक'),
  bank('KARB', 'Karnataka Bank', 'कर्नाटक बैंक'),
  bank('KVBL', 'Karur Vysya Bank', 'करूर वैश्य बैंक'),
  bank('MSNU', 'Mehsana Urban Co-operative Bank', 'मेहसाणा अर्बन को-ऑपरेटिव बैंक'),
  bank('NTBL', 'Nainital Bank', 'नैनीताल बैंक'),
  bank('NKGS', 'NKGSB Co-operative Bank', 'एनकेजीएसबी को-ऑपरेटिव बैंक'),
  bank('PSIB', 'Punjab & Sind Bank', 'पंजाब एंड सिंध बैंक'),
  bank('RNSB', 'Rajkot Nagarik Sahakari Bank', 'राजकोट नागरिक सहकारी बैंक'),
  bank('RATN', 'RBL Bank', 'आरबीएल बैंक'),
  bank('SRCB', 'Saraswat Co-operative Bank', 'सारस्वत को-ऑपरेटिव बैंक'),
  bank('SMCB', 'Shivalik Small Finance Bank', 'शिवालिक स्मॉल फ़ाइनेंस बैंक'),
  bank('SIBL', 'South Indian Bank', 'साउथ इंडियन बैंक'),
  bank('SCBL', 'Standard Chartered Bank', 'स्टैंडर्ड चार्टर्ड बैंक'),
  bank('SURY', 'Suryoday Small Finance Bank', 'सूर्योदय स्मॉल फ़ाइनेंस बैंक'),
  bank('SVCB', 'SVC Co-operative Bank', 'एसवीसी को-ऑपरेटिव बैंक'),
  bank('TNSC', 'Tamil Nadu State Apex Co-operative Bank', 'तमिलनाडु स्टेट एपेक्स को-ऑपरेटिव बैंक'),
  bank('TMBL', 'Tamilnad Mercantile Bank', 'तमिलनाड मर्केंटाइल बैंक'),
  bank('TJSB', 'TJSB Sahakari Bank', 'टीजेएसबी सहकारी बैंक'),
  bank('UCBA', 'UCO Bank', 'यूको बैंक'),
  bank('UJVN', 'Ujjivan Small Finance Bank', 'उज्जीवन स्मॉल फ़ाइनेंस बैंक'),
  bank('UBIN', 'Union Bank of India', 'यूनियन बैंक ऑफ़ इंडिया'),
  bank('UNBA', 'Unity Small Finance Bank', 'यूनिटी स्मॉल फ़ाइनेंस बैंक'),
  bank('UTKS', 'Utkarsh Small Finance Bank', 'उत्कर्ष स्मॉल फ़ाइनेंस बैंक'),
  bank('VARA', 'Varachha Co-operative Bank', 'वराछा को-ऑपरेटिव बैंक'),
  bank('YESB', 'Yes Bank', 'यस बैंक'),
]

/** The simulator's test banks (docs/sandbox.md says what each does). The Reserve Bank has allotted none of these codes. */
const TEST_BANKS: readonly Bank[] = [
  testBank('PASS', 'Test bank: succeeds at once', 'टेस्ट बैंक: तुरंत सफल'),
  testBank('FAIL', 'Test bank: declines at once', 'टेस्ट बैंक: तुरंत अस्वीकार'),
  testBank('SLOW', 'Test bank: succeeds after a while', 'टेस्ट बैंक: कुछ देर बाद सफल'),
  testBank('TIME', 'Test bank: its page times out', 'टेस्ट बैंक: पेज का समय समाप्त'),
  testBank('HANG', 'Test bank: never answers', 'टेस्ट बैंक: कोई उत्तर नहीं'),
  testBank('DOWN', 'Test bank: is down', 'टेस्ट बैंक: बंद है'),
  testBank('LOST', 'Test bank: its first answer is lost', 'टेस्ट बैंक: पहला उत्तर खो जाता है'),
]

const BANKS: readonly Bank[] = [...POPULAR_BANKS, ...OTHER_BANKS]
const SANDBOX_BANKS: readonly Bank[] = [...BANKS, ...TEST_BANKS]

/** Popular banks first, the others by name. In the sandbox the test banks follow. */
export function banksIn(environment: 'sandbox' | 'production'): readonly Bank[] {
  return environment === 'sandbox' ? SANDBOX_BANKS : BANKS
}
