#include "meteor_words.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "porter.hpp"

namespace nlgauge {

namespace {

constexpr unsigned kContinued = 0x80;  // the bytes of a character behind its first: 10xxxxxx

void append_utf8(char32_t point, std::string& text) {
    const auto continued = [&](int shift) { text.push_back(static_cast<char>(kContinued | ((point >> shift) & 0x3f))); };
    if (point < 0x80) {
        text.push_back(static_cast<char>(point));
    } else if (point < 0x800) {
        text.push_back(static_cast<char>(0xc0 | (point >> 6)));
        continued(0);
    } else if (point < 0x10000) {
        text.push_back(static_cast<char>(0xe0 | (point >> 12)));
        continued(6), continued(0);
    } else {
        text.push_back(static_cast<char>(0xf0 | (point >> 18)));
        continued(12), continued(6), continued(0);
    }
}

void decode_utf8(std::string_view text, std::vector<char32_t>& points) {
    points.clear();
    for (std::size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i++]);
        const std::size_t more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        if ((first >= 0x80 && first < 0xc0) || i + more > text.size())
            throw std::invalid_argument("WordNet: a word is not written in UTF-8");
        char32_t point = more == 0 ? first : first & (0x3fu >> more);
        for (const std::size_t end = i + more; i < end; ++i)
            point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
        points.push_back(point);
    }
}

}  // namespace

bool Forms::is(const Token& known, const Token& token) const {
    if (known.tag != token.tag || known.low != token.low) return false;
    return token.is_long() ? std::memcmp(known.bytes(), token.bytes(), token.size()) == 0 : known.high == token.high;
}

std::int32_t Forms::number(const Token& token) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = token.hash & mask;; at = (at + 1) & mask) {
        const std::int32_t number = slots_[at];
        if (number == kFree) {
            add(token, at);
            return static_cast<std::int32_t>(tokens_.size() - 1);
        }
        if (is(tokens_[static_cast<std::size_t>(number)], token)) return number;
    }
}

void Forms::add(const Token& token, std::size_t at) {
    slots_[at] = static_cast<std::int32_t>(tokens_.size());
    tokens_.push_back(token);
    if (token.is_long()) {  // whose letters would go with the segment
        auto* letters = arena_.take<std::uint8_t>(token.size());
        std::memcpy(letters, token.bytes(), token.size());
        tokens_.back().high = reinterpret_cast<std::uintptr_t>(letters);
    }
    if (2 * tokens_.size() > slots_.size()) grow();
}

void Forms::grow() {
    slots_.assign(4 * slots_.size(), kFree);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
        std::size_t at = tokens_[k].hash & mask;
        while (slots_[at] != kFree) at = (at + 1) & mask;
        slots_[at] = static_cast<std::int32_t>(k);
    }
}

std::int32_t MeteorWords::number(const std::vector<char32_t>& points) {
    arena_.clear();
    return forms_.number(wide_token(points.data(), points.size(), arena_));
}

std::int32_t MeteorWords::plain_stem(const Token& form) {
    const Token word = lowered(form);
    std::uint8_t letters[16];
    std::memcpy(letters, word.bytes(), 16);
    return forms_.number(narrow_token(letters, porter(letters, word.size())));
}

MeteorWords::Word MeteorWords::of_other(const Token& token) {
    const auto known = static_cast<std::size_t>(others_.number(token));
    if (known < other_words_.size()) return other_words_[known];
    decode(token, points_);
    if (lower_) lower_points(points_);
    const std::int32_t form = number(points_);
    // NLTK leaves one or two letters alone, counted before they are lower-cased, which may make three of them.
    const bool has_stem = points_.size() > 2;
    if (!lower_) lower_points(points_);
    if (has_stem) points_.resize(porter(points_.data(), points_.size()));
    other_words_.push_back({form, number(points_)});
    return other_words_.back();
}

MeteorWords::Synonyms MeteorWords::synonyms(std::int32_t stem) {
    const auto at = static_cast<std::size_t>(stem);
    if (at >= ranges_.size()) ranges_.resize(std::max(forms_.size(), 2 * ranges_.size()));
    if (!ranges_[at].known) {
        const std::size_t begin = synonyms_.size();
        if (wordnet_) look_up(forms_[stem]);
        std::sort(synonyms_.begin() + static_cast<std::ptrdiff_t>(begin), synonyms_.end());
        synonyms_.erase(std::unique(synonyms_.begin() + static_cast<std::ptrdiff_t>(begin), synonyms_.end()),
                        synonyms_.end());
        ranges_[at] = {begin, synonyms_.size(), true};
    }
    return {synonyms_.data() + ranges_[at].begin, synonyms_.data() + ranges_[at].end};
}

void MeteorWords::look_up(const Token& stem) {
    decode(stem, points_);
    letters_.clear();
    for (const char32_t point : points_) {
        if (point >= 0xd800 && point < 0xe000) return;  // a lone surrogate: no file has one
        append_utf8(point, letters_);
    }
    found_.clear();
    wordnet_->synonyms(letters_, found_);
    for (const std::string_view lemma : found_) {
        decode_utf8(lemma, points_);
        synonyms_.push_back(number(points_));
    }
}

}  // namespace nlgauge
