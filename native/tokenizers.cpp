#include "tokenizers.hpp"

#include <stdexcept>

#include "rewrite.hpp"
#include "scan.hpp"
#include "unicode_tables.hpp"

namespace nlgauge {

namespace {

bool is_wide_space(char32_t c) { return c >= 0x1680 && c <= 0x3000 && is_space(c); }

// Code points that sacreBLEU's tokenizer_zh.py sets off. Its two ranges beyond the BMP are written "\u20000" to
// "\u2a6d6" and "\u2f800" to "\u2fa1d", which are strings of two characters and compare as U+2001 to U+2A6D and
// U+2F81 to U+2FA1: many signs and arrows are set off, and the ideographs of plane 2 are not.
bool is_zh(char32_t c) {
    static constexpr char32_t ranges[][2] = {
        {0x2001, 0x2a6d}, {0x2e80, 0x2fdf}, {0x2ff0, 0x303f}, {0x3100, 0x312f}, {0x31a0, 0x31bf}, {0x31c0, 0x31ef},
        {0x3200, 0x4db5}, {0x4e00, 0x9fbb}, {0xf900, 0xfa2d}, {0xfa30, 0xfa6a}, {0xfa70, 0xfad9}, {0xfe10, 0xfe1f},
        {0xfe30, 0xfe4f}, {0xff00, 0xffef}};
    for (const auto& range : ranges)
        if (c >= range[0] && c <= range[1]) return true;
    return false;
}

// The code points that tercom's normaliser sets off for Asian languages. Its rules for kana match only at the start of
// the text, where there is always a blank, so kana stay together.
bool is_tercom_asian(char32_t c) {
    static constexpr char32_t ranges[][2] = {{0x2e80, 0x2eff}, {0x31c0, 0x31ef}, {0x3200, 0x4dbf},
                                             {0x4e00, 0x9fff}, {0xf900, 0xfaff}, {0xfe30, 0xfe4f}};
    for (const auto& range : ranges)
        if (c >= range[0] && c <= range[1]) return true;
    return is_asian_punctuation(c);
}

// What a byte does in the tokenisers that set off punctuation.
enum Role : std::uint8_t {
    kWord,
    kDigit,
    kSpace,
    kAlone,  // always a token of its own
    kDash,   // a token of its own after a digit
    kPoint,  // a token of its own unless between digits; see split_punctuation
};

struct Roles {
    std::uint8_t of[256];
};

Roles roles_13a() {
    Roles roles{};
    for (int c = 0; c < 256; ++c) {
        const auto byte = static_cast<std::uint8_t>(c);
        roles.of[c] = is_latin1_space(byte)      ? kSpace
                      : is_13a_punctuation(byte) ? kAlone
                      : is_digit(byte)           ? kDigit
                                                 : kWord;
    }
    roles.of[int{'.'}] = roles.of[int{','}] = kPoint;
    roles.of[int{'-'}] = kDash;
    return roles;
}

Roles roles_intl() {
    Roles roles{};
    for (int c = 0; c < 256; ++c) {
        const auto point = static_cast<char32_t>(c);
        roles.of[c] = is_space(point)         ? kSpace
                      : is_punctuation(point) ? kPoint
                      : is_symbol(point)      ? kAlone
                      : is_number(point)      ? kDigit
                                              : kWord;
    }
    return roles;
}

Roles roles_words() {
    Roles roles{};
    for (int c = 0; c < 256; ++c) {
        const auto point = static_cast<char32_t>(c);
        roles.of[c] = is_letter(point) || is_mark(point) || is_number(point) ? kWord : kSpace;
    }
    return roles;
}

// Bytes that stand for code points beyond Latin-1, one with each role.
std::uint8_t standin_space(char32_t c) { return is_wide_space(c) ? ' ' : kWordByte; }
std::uint8_t standin_blank(char32_t c) { return is_wide_space(c) ? '\t' : kWordByte; }
std::uint8_t standin_word(char32_t) { return kWordByte; }
std::uint8_t standin_zh(char32_t c) { return is_wide_space(c) ? ' ' : is_zh(c) ? '!' : kWordByte; }
std::uint8_t standin_asian(char32_t c) { return is_wide_space(c) ? ' ' : is_tercom_asian(c) ? '!' : kWordByte; }
std::uint8_t standin_intl(char32_t c) {
    switch (unicode::category(c)) {
        case 'P': return '!';
        case 'S': return '+';
        case 'N': return '5';
        case 'Z': return ' ';
        default: return kWordByte;
    }
}
std::uint8_t standin_letter(char32_t c) {
    return (is_letter(c) && !is_han(c)) || is_mark(c) || is_number(c) ? kWordByte : ' ';
}

bool space_at(const TextView& text, std::size_t i) { return is_space(text[i]); }

void strip_right(const TextView& text, std::size_t begin, std::size_t& end) {
    while (end > begin && space_at(text, end - 1)) --end;
}
void strip(const TextView& text, std::size_t& begin, std::size_t& end) {
    strip_right(text, begin, end);
    while (begin < end && space_at(text, begin)) ++begin;
}

template <class Standin>
void write_bytes(Letters& text, Standin&& standin) {
    for (std::size_t i = 0; i < text.size; ++i) {
        const char32_t point = text.points[i];
        text.bytes[i] = point < 0x100 ? static_cast<std::uint8_t>(point) : standin(point);
    }
    std::memset(text.bytes + text.size, ' ', kPadding);
}

// The regular expressions of mteval, in one pass. Their effect on a run of k points p1..pk between L and R follows from
// how non-overlapping matches pair up. ([^0-9])([.,]) takes (L,p1)(p2,p3)… if L is no digit, else (p1,p2)(p3,p4)…,
// and puts blanks around the second of each pair; ([.,])([^0-9]) then sets off each point that no digit follows. So
// p1..p(k-1) are always set off, and pk is unless a digit (or, without `Padded`, the end of the text) follows and
// the pairs leave it over: "x.5" gives x . 5, but "x..5" gives x . .5 and "1.5" stays whole. `Padded`: the tokeniser
// puts a blank before and behind the text first. For intl points are all punctuation and digits all numbers.
// `cuts` are the positions of all bytes that are not plainly parts of words; emit(begin, end) takes the tokens.
template <bool Padded, bool Dash, class Emit>
inline void split_punctuation(const Letters& text, const std::uint8_t* roles, const std::uint32_t* cuts,
                              std::size_t count, Emit&& emit) {
    const std::uint8_t* bytes = text.bytes;
    const auto digit_or_edge = [&](std::size_t i) {  // i is size_t(-1) before the text
        return i < text.size ? roles[bytes[i]] == kDigit : !Padded;
    };
    std::size_t start = 0;
    const auto flush = [&](std::size_t end) {
        if (start < end) emit(start, end);
    };
    for (std::size_t e = 0; e < count; ++e) {
        const std::size_t at = cuts[e];
        switch (roles[bytes[at]]) {
            case kSpace:
                flush(at);
                start = at + 1;
                break;
            case kDash:
                if (!Dash || at == 0 || roles[bytes[at - 1]] != kDigit) break;
                [[fallthrough]];
            case kAlone:
                flush(at);
                emit(at, at + 1);
                start = at + 1;
                break;
            case kPoint: {
                std::size_t end = at + 1;
                while (end < text.size && roles[bytes[end]] == kPoint) ++end, ++e;
                const bool left_over = digit_or_edge(at - 1) == ((end - at) % 2 == 1);
                const bool last_stays = left_over && digit_or_edge(end);
                if (last_stays && end - at == 1) break;
                flush(at);
                const std::size_t set_off = last_stays ? end - 1 : end;
                for (std::size_t i = at; i < set_off; ++i) emit(i, i + 1);
                start = set_off;
                break;
            }
            default: break;
        }
    }
    flush(text.size);
}

}  // namespace

TokenizerOptions TokenizerOptions::parse(const std::string& tok, bool lower, const std::string& stem) {
    TokenizerOptions options;
    const auto& names = tokenizers();
    const auto found = std::find(names.begin(), names.end(), tok);
    if (found == names.end()) throw std::invalid_argument("tokeniser '" + tok + "' is not one of the compiled ones");
    static constexpr Splitter plain[] = {Splitter::none, Splitter::mteval13a, Splitter::intl,
                                         Splitter::zh, Splitter::character,
                                         Splitter::rouge, Splitter::words, Splitter::jiwer,
                                         Splitter::chars};
    const auto at = static_cast<std::size_t>(found - names.begin());
    options.splitter = at < std::size(plain) ? plain[at] : Splitter::tercom;
    if (options.splitter == Splitter::tercom) {
        options.normalize = tok.find("norm") != std::string::npos;
        options.no_punctuation = tok.find("nopunct") != std::string::npos;
        options.asian = tok.find("asian") != std::string::npos;
    }
    if (stem != "none" && stem != "porter")
        throw std::invalid_argument("stemmer '" + stem + "' is not one of the compiled ones");
    options.stem = stem == "porter";
    options.lower = lower || options.splitter == Splitter::rouge;
    return options;
}

const std::vector<std::string>& TokenizerOptions::tokenizers() {
    static const std::vector<std::string> names = {
        "none", "13a", "intl", "zh", "char", "rouge", "words", "jiwer", "chars",
        "tercom", "tercom:norm", "tercom:nopunct", "tercom:asian", "tercom:norm+nopunct", "tercom:norm+asian",
        "tercom:nopunct+asian", "tercom:norm+nopunct+asian"};
    return names;
}

const std::vector<std::string>& TokenizerOptions::stemmers() {
    static const std::vector<std::string> names = {"none", "porter"};
    return names;
}

Token whole_token(const TextView& text, Arena& arena) {
    if (text.kind == 1) {
        auto* bytes = arena.take<std::uint8_t>(text.length + 16);
        std::memcpy(bytes, text.data, text.length);
        std::memset(bytes + text.length, 0, 16);
        return narrow_token(bytes, text.length);
    }
    auto* points = arena.take<char32_t>(text.length);
    for (std::size_t i = 0; i < text.length; ++i) points[i] = text[i];
    return wide_token(points, text.length, arena);
}

template <class Standin>
Letters Tokenizer::load(const TextView& text, std::size_t begin, std::size_t end, Standin&& standin) {
    Letters letters{arena_.take<std::uint8_t>(end - begin + kPadding), nullptr, end - begin};
    if (text.kind == 1) {
        const auto* source = static_cast<const std::uint8_t*>(text.data) + begin;
        if (options_.lower)
            copy_text<true>(letters.bytes, source, letters.size);
        else
            copy_text<false>(letters.bytes, source, letters.size);
        return letters;
    }
    letters.points = arena_.take<char32_t>(letters.size);
    if (text.kind == 2)
        std::copy_n(static_cast<const std::uint16_t*>(text.data) + begin, letters.size, letters.points);
    else
        std::copy_n(static_cast<const std::uint32_t*>(text.data) + begin, letters.size, letters.points);
    write_bytes(letters, standin);
    return letters;
}

template <class Find>
std::size_t Tokenizer::runs(const Letters& text, bool& alarm) {
    if (cuts_.size() < text.size + 65) cuts_.resize(2 * text.size + 65);
    return find_runs<Find>(text.bytes, text.size, cuts_.data(), alarm);
}

template <class Find>
std::size_t Tokenizer::positions(const Letters& text, bool& alarm) {
    if (cuts_.size() < text.size + 65) cuts_.resize(2 * text.size + 65);
    return find_positions<Find>(text.bytes, text.size, cuts_.data(), alarm);
}

Token Tokenizer::wide_piece(const Letters& text, std::size_t begin, std::size_t end) {
    char32_t seen = 0;
    for (std::size_t i = begin; i < end; ++i) seen |= text.points[i];
    if (seen < 0x100) return narrow_token(text.bytes + begin, end - begin);
    return wide_token(text.points + begin, end - begin, arena_);
}

template <bool Latin1, bool Stem>
NLGAUGE_INLINE Token Tokenizer::token(const Letters& text, std::size_t begin, std::size_t end) {
    const Token token = Latin1 ? narrow_token(text.bytes + begin, end - begin) : wide_piece(text, begin, end);
    return Stem ? stems_.of(token, options_.lower, arena_) : token;
}

// Calls split(emit), which in turn calls emit(begin, end) for each token. The kinds of text and work are told apart
// once per text, not once per token.
template <class Split>
NLGAUGE_INLINE void Tokenizer::emit_pieces(const Letters& text, Split&& split) {
    Token* out = words_.room(text.size + 1);
    if (text.points) {
        if (options_.stem)
            split([&](std::size_t begin, std::size_t end) { *out++ = token<false, true>(text, begin, end); });
        else
            split([&](std::size_t begin, std::size_t end) { *out++ = token<false, false>(text, begin, end); });
    } else if (options_.stem) {
        split([&](std::size_t begin, std::size_t end) { *out++ = token<true, true>(text, begin, end); });
    } else {
        split([&](std::size_t begin, std::size_t end) { *out++ = token<true, false>(text, begin, end); });
    }
    words_.commit(out);
}

void Tokenizer::emit_runs(const Letters& text, std::size_t count) {
    const std::uint32_t* cuts = cuts_.data();
    emit_pieces(text, [=](auto&& emit) {
        for (std::size_t i = 0; i + 1 < count; i += 2) emit(cuts[i], cuts[i + 1]);
    });
}

template <bool Padded, bool Dash>
void Tokenizer::emit_split(const Letters& text, const std::uint8_t* roles, std::size_t count) {
    emit_pieces(text, [&](auto&& emit) {
        split_punctuation<Padded, Dash>(text, roles, cuts_.data(), count, emit);
    });
}

void Tokenizer::add_13a(const TextView& text, std::size_t begin, std::size_t end) {
    static const Roles roles = roles_13a();
    Letters letters = load(text, begin, end, standin_space);
    bool alarm = false;
    std::size_t count = positions<FindNotPlain13a>(letters, alarm);
    if (alarm) {
        if (letters.points) {
            letters.size = rewrite_13a(letters.points, letters.size);
            write_bytes(letters, standin_space);
        } else {
            letters.size = rewrite_13a(letters.bytes, letters.size);
            std::memset(letters.bytes + letters.size, ' ', kPadding);
        }
        count = positions<FindNotPlain>(letters, alarm);
    }
    emit_split<true, true>(letters, roles.of, count);
}

// Maximal runs of letters, marks and numbers of any script (Unicode categories L, M, N); each Han ideograph is a token
// of its own, since Chinese and Japanese do not write blanks between words.
void Tokenizer::add_words(const TextView& text, std::size_t begin, std::size_t end) {
    static const Roles roles = roles_words();
    const Letters letters = load(text, begin, end, standin_letter);
    bool alarm = false;
    const std::size_t count = positions<FindNotPlain>(letters, alarm);
    emit_pieces(letters, [&](auto&& emit) {
        std::size_t start = 0;
        for (std::size_t e = 0; e < count; ++e) {
            const std::size_t at = cuts_[e];
            if (roles.of[letters.bytes[at]] == kWord) continue;
            if (start < at) emit(start, at);
            if (letters.points && is_han(letters.points[at])) emit(at, at + 1);
            start = at + 1;
        }
        if (start < letters.size) emit(start, letters.size);
    });
}

// Runs of two or more white-space characters count as one blank, a single one only if it is a blank: a lone tab or
// no-break space is part of its word.
void Tokenizer::add_jiwer(const TextView& text, std::size_t begin, std::size_t end) {
    strip(text, begin, end);
    const Letters letters = load(text, begin, end, standin_blank);
    bool alarm = false;
    const std::size_t count = runs<FindBlank>(letters, alarm);
    if (!alarm) return emit_runs(letters, count);
    emit_pieces(letters, [&](auto&& emit) {
        std::size_t start = 0;
        for (std::size_t i = 0; i < letters.size; ++i) {
            if (!is_latin1_space(letters.bytes[i])) continue;
            std::size_t after = i + 1;
            while (after < letters.size && is_latin1_space(letters.bytes[after])) ++after;
            if (letters.bytes[i] == ' ' || after > i + 1) {
                if (start < i) emit(start, i);
                start = after;
            }
            i = after - 1;
        }
        if (start < letters.size) emit(start, letters.size);
    });
}

void Tokenizer::add_characters(const TextView& text, std::size_t begin, std::size_t end) {
    const bool all = options_.splitter == Splitter::chars;
    if (all) strip(text, begin, end);
    const Letters letters = load(text, begin, end, standin_space);
    emit_pieces(letters, [&](auto&& emit) {
        for (std::size_t i = 0; i < letters.size; ++i)
            if (all || !is_latin1_space(letters.bytes[i])) emit(i, i + 1);
    });
}

Letters Tokenizer::load(const std::vector<char32_t>& points, std::uint8_t (*standin)(char32_t)) {
    Letters letters{arena_.take<std::uint8_t>(points.size() + kPadding), arena_.take<char32_t>(points.size()),
                    points.size()};
    std::copy(points.begin(), points.end(), letters.points);
    write_bytes(letters, standin);
    return letters;
}

// Options of tercom's normaliser; rare enough to take the way over code points.
void Tokenizer::add_tercom(const TextView& text, std::size_t begin, std::size_t end) {
    static const Roles roles = roles_13a();
    std::vector<char32_t>& points = points_;
    points.resize(end - begin);
    for (std::size_t i = begin; i < end; ++i)
        points[i - begin] = options_.lower && is_upper_letter(text[i]) ? text[i] | 0x20 : text[i];
    bool alarm = false;
    if (options_.normalize) {
        normalize_tercom(points);
        const Letters letters = load(points, options_.asian ? standin_asian : standin_space);
        const std::size_t count = positions<FindNotPlain>(letters, alarm);
        if (!options_.no_punctuation) return emit_split<true, true>(letters, roles.of, count);
        points.clear();
        split_punctuation<true, true>(letters, roles.of, cuts_.data(), count, [&](std::size_t from, std::size_t to) {
            points.insert(points.end(), letters.points + from, letters.points + to);
            points.push_back(' ');
        });
    }
    if (options_.no_punctuation) remove_tercom_punctuation(points, options_.asian);
    const Letters letters = load(points, standin_space);
    emit_runs(letters, runs<FindSpace>(letters, alarm));
}

void Tokenizer::add(const TextView& text, std::size_t begin, std::size_t end) {
    static const Roles intl = roles_intl();
    static const Roles mteval = roles_13a();
    bool alarm = false;
    switch (options_.splitter) {
        case Splitter::none: break;
        case Splitter::mteval13a:
            strip_right(text, begin, end);
            return add_13a(text, begin, end);
        case Splitter::intl: {
            strip_right(text, begin, end);
            const Letters letters = load(text, begin, end, standin_intl);
            return emit_split<false, false>(letters, intl.of, positions<FindNotPlain>(letters, alarm));
        }
        case Splitter::zh: {
            strip(text, begin, end);
            const Letters letters = load(text, begin, end, standin_zh);
            return emit_split<false, true>(letters, mteval.of, positions<FindNotPlain>(letters, alarm));
        }
        case Splitter::rouge: {
            const Letters letters = load(text, begin, end, standin_word);
            return emit_runs(letters, runs<FindNotRouge>(letters, alarm));
        }
        case Splitter::words: return add_words(text, begin, end);
        case Splitter::jiwer: return add_jiwer(text, begin, end);
        case Splitter::character:
        case Splitter::chars: return add_characters(text, begin, end);
        case Splitter::tercom:
            strip_right(text, begin, end);
            if (options_.normalize || options_.no_punctuation) return add_tercom(text, begin, end);
            break;
    }
    const Letters letters = load(text, begin, end, standin_space);
    emit_runs(letters, runs<FindSpace>(letters, alarm));
}

}  // namespace nlgauge
